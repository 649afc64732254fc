//! Reading and writing ProtoJSON. When it is read, a field may be `null`, which means absent; a whole number may come
//! as text; an enum by its name or its number; bytes in either alphabet of base64. It is always written in the one
//! canonical form.

mod base64;
pub(crate) mod mapping;
#[cfg(test)]
mod tests;

pub(crate) use base64::canonical_base64;

use serde::de::{Error, Unexpected, Visitor};
use serde::{Deserialize, Deserializer};
use std::fmt;

/// Read a field that may be `null`: absent is the type's default.
pub(crate) fn or_default<'de, D: Deserializer<'de>, T: Deserialize<'de> + Default>(from: D) -> Result<T, D::Error> {
    Ok(Option::deserialize(from)?.unwrap_or_default())
}

/// Read a field in which `null` is a value and not an absence.
pub(crate) fn present<'de, D: Deserializer<'de>, T: Deserialize<'de>>(from: D) -> Result<Option<T>, D::Error> {
    T::deserialize(from).map(Some)
}

/// Read a whole number that may be absent.
pub(crate) fn maybe_int<'de, D: Deserializer<'de>>(from: D) -> Result<Option<i32>, D::Error> {
    Ok(Option::<Int>::deserialize(from)?.map(|int| int.0))
}

/// Read a whole number; absent is zero.
pub(crate) fn int<'de, D: Deserializer<'de>>(from: D) -> Result<i32, D::Error> {
    Ok(maybe_int(from)?.unwrap_or_default())
}

struct Int(i32);

impl<'de> Deserialize<'de> for Int {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Int, D::Error> {
        from.deserialize_any(IntVisitor)
    }
}

struct IntVisitor;

impl Visitor<'_> for IntVisitor {
    type Value = Int;

    fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str("a whole number of 32 bits")
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Int, E> {
        i32::try_from(number).map(Int).map_err(|_| E::invalid_value(Unexpected::Signed(number), &self))
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Int, E> {
        i32::try_from(number).map(Int).map_err(|_| E::invalid_value(Unexpected::Unsigned(number), &self))
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<Int, E> {
        let whole = number.fract() == 0.0 && (f64::from(i32::MIN)..=f64::from(i32::MAX)).contains(&number);
        // Whole and in range, so the cast loses nothing.
        if whole { Ok(Int(number as i32)) } else { Err(E::invalid_value(Unexpected::Float(number), &self)) }
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Int, E> {
        text.parse().map(Int).map_err(|_| E::invalid_value(Unexpected::Str(text), &self))
    }
}

/// An enum of a `.proto`: written by its name, read by its name (or another spelling of it) or its number.
macro_rules! proto_enum {
    (
        $(#[$attribute:meta])*
        $name:ident {
            $( $(#[$variant_attribute:meta])* $variant:ident = $number:literal, $text:literal $(| $other:literal)*; )+
        }
    ) => {
        $(#[$attribute])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $name {
            $( $(#[$variant_attribute])* $variant, )+
        }

        impl $name {
            /// Its name in the `.proto`.
            pub fn name(self) -> &'static str {
                match self { $( $name::$variant => $text, )+ }
            }

            /// Its number in the `.proto`.
            pub fn number(self) -> i32 {
                match self { $( $name::$variant => $number, )+ }
            }

            /// The value with this number.
            pub fn from_number(number: i32) -> Option<$name> {
                match number { $( $number => Some($name::$variant), )+ _ => None }
            }

            fn from_name(name: &str) -> Option<$name> {
                match name { $( $text $(| $other)* => Some($name::$variant), )+ _ => None }
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                to.serialize_str(self.name())
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<$name, D::Error> {
                const NAMES: &[&str] = &[$( $text, )+];
                from.deserialize_any($crate::proto::EnumVisitor {
                    names: NAMES,
                    from_name: $name::from_name,
                    from_number: $name::from_number,
                })
            }
        }
    };
}

pub(crate) use proto_enum;

/// Reads an enum by name or number.
pub(crate) struct EnumVisitor<T> {
    pub(crate) names: &'static [&'static str],
    pub(crate) from_name: fn(&str) -> Option<T>,
    pub(crate) from_number: fn(i32) -> Option<T>,
}

impl<T> Visitor<'_> for EnumVisitor<T> {
    type Value = T;

    fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "one of {}, or its number", self.names.join(", "))
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<T, E> {
        (self.from_name)(name).ok_or_else(|| E::unknown_variant(name, self.names))
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<T, E> {
        let found = i32::try_from(number).ok().and_then(self.from_number);
        found.ok_or_else(|| E::invalid_value(Unexpected::Signed(number), &self))
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<T, E> {
        let found = i32::try_from(number).ok().and_then(self.from_number);
        found.ok_or_else(|| E::invalid_value(Unexpected::Unsigned(number), &self))
    }
}
