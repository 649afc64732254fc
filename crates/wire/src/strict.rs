//! Requests read from JSON, strictly: an object is read only from an object. The readers that serde derives also take a
//! list, field by field, which no protocol here means. What does not fit is said in the client's words, with its place.

#[cfg(test)]
mod tests;

use crate::flaw::Flaw;
use serde::de::value::{BorrowedStrDeserializer, MapAccessDeserializer, StrDeserializer};
use serde::de::{Deserialize, Unexpected};
use serde::de::{DeserializeSeed, Deserializer, Error, Expected, IntoDeserializer, MapAccess, SeqAccess, Visitor};
use serde::forward_to_deserialize_any;
use serde_json::{Map, Value, map};
use std::fmt::Display;
use std::slice;

/// Read `value`, which may be a request or a part of one.
pub fn read<'de, T: Deserialize<'de>>(value: &'de Value) -> Result<T, Flaw> {
    T::deserialize(Strict(value))
}

struct Strict<'de>(&'de Value);

struct Members<'de> {
    rest: map::Iter<'de>,
    current: Option<(&'de str, &'de Value)>,
}

struct Elements<'de> {
    rest: slice::Iter<'de, Value>,
    index: usize,
}

impl<'de> Strict<'de> {
    fn object(&self) -> Result<Members<'de>, Flaw> {
        self.0.as_object().map(Members::of).ok_or_else(|| must_be("an object"))
    }

    fn list(&self) -> Result<Elements<'de>, Flaw> {
        self.0.as_array().map(|elements| Elements { rest: elements.iter(), index: 0 }).ok_or_else(|| must_be("a list"))
    }

    fn text(&self) -> Result<&'de str, Flaw> {
        self.0.as_str().ok_or_else(|| must_be("text"))
    }
}

macro_rules! whole_numbers {
    ($($method:ident, $type:ty, $as:ident, $visit:ident;)+) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Flaw> {
            match self.0.$as().filter(|number| <$type>::try_from(*number).is_ok()) {
                Some(number) => visitor.$visit(number),
                None => Err(must_be(format_args!("a whole number from {} to {}", <$type>::MIN, <$type>::MAX))),
            }
        }
    )+};
}

impl<'de> Deserializer<'de> for Strict<'de> {
    type Error = Flaw;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Flaw> {
        match self.0 {
            Value::Null => visitor.visit_unit(),
            Value::Bool(value) => visitor.visit_bool(*value),
            Value::Number(number) => match (number.as_u64(), number.as_i64()) {
                (Some(number), _) => visitor.visit_u64(number),
                (None, Some(number)) => visitor.visit_i64(number),
                (None, None) => visitor.visit_f64(number.as_f64().unwrap_or_default()),
            },
            Value::String(text) => visitor.visit_borrowed_str(text),
            Value::Array(_) => visitor.visit_seq(self.list()?),
            Value::Object(_) => visitor.visit_map(self.object()?),
        }
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Flaw> {
        visitor.visit_map(self.object()?)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Flaw> {
        visitor.visit_map(self.object()?)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Flaw> {
        visitor.visit_seq(self.list()?)
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Flaw> {
        visitor.visit_borrowed_str(self.text()?)
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Flaw> {
        self.deserialize_str(visitor)
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Flaw> {
        visitor.visit_bool(self.0.as_bool().ok_or_else(|| must_be("true or false"))?)
    }

    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Flaw> {
        visitor.visit_f64(self.0.as_f64().ok_or_else(|| must_be("a number"))?)
    }

    whole_numbers! {
        deserialize_u8, u8, as_u64, visit_u64;
        deserialize_u16, u16, as_u64, visit_u64;
        deserialize_u32, u32, as_u64, visit_u64;
        deserialize_u64, u64, as_u64, visit_u64;
        deserialize_i8, i8, as_i64, visit_i64;
        deserialize_i16, i16, as_i64, visit_i64;
        deserialize_i32, i32, as_i64, visit_i64;
        deserialize_i64, i64, as_i64, visit_i64;
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Flaw> {
        if self.0.is_null() { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, Flaw> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Flaw> {
        match self.0 {
            Value::Object(_) => visitor.visit_enum(MapAccessDeserializer::new(self.object()?)),
            _ => {
                let name: StrDeserializer<'_, Flaw> = self.text()?.into_deserializer();
                visitor.visit_enum(name)
            }
        }
    }

    forward_to_deserialize_any! {
        char f32 i128 u128 bytes byte_buf unit unit_struct tuple tuple_struct identifier ignored_any
    }
}

impl<'de> Members<'de> {
    fn of(members: &'de Map<String, Value>) -> Members<'de> {
        Members { rest: members.iter(), current: None }
    }
}

impl<'de> MapAccess<'de> for Members<'de> {
    type Error = Flaw;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Flaw> {
        self.current = self.rest.next().map(|(name, value)| (name.as_str(), value));
        let read = self.current.map(|(name, _)| seed.deserialize(BorrowedStrDeserializer::new(name)));
        read.transpose()
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Flaw> {
        let (name, value) = self.current.ok_or_else(|| Flaw::custom("a value was read before its name"))?;
        seed.deserialize(Strict(value)).map_err(|flaw| flaw.within(name))
    }
}

impl<'de> SeqAccess<'de> for Elements<'de> {
    type Error = Flaw;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Flaw> {
        let Some(element) = self.rest.next() else { return Ok(None) };
        let index = self.index;
        self.index += 1;
        seed.deserialize(Strict(element)).map(Some).map_err(|flaw| flaw.within(format_args!("[{index}]")))
    }
}

/// The readers of the types say what they want in words of Rust; these are the client's.
impl Error for Flaw {
    fn custom<T: Display>(why: T) -> Flaw {
        Flaw::new("", format!("does not fit: {why}"))
    }

    fn invalid_type(_: Unexpected<'_>, expected: &dyn Expected) -> Flaw {
        must_be(expected)
    }

    fn invalid_value(_: Unexpected<'_>, expected: &dyn Expected) -> Flaw {
        must_be(expected)
    }

    fn unknown_variant(name: &str, names: &'static [&'static str]) -> Flaw {
        Flaw::new("", format!("must be one of {}, not {name:?}", names.join(", ")))
    }

    fn missing_field(name: &'static str) -> Flaw {
        Flaw::new(name, "is missing")
    }

    fn duplicate_field(name: &'static str) -> Flaw {
        Flaw::new(name, "is there in two spellings; send one of them")
    }
}

fn must_be(what: impl Display) -> Flaw {
    Flaw::new("", format!("must be {what}"))
}
