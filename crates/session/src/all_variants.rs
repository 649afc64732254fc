//! Lists of everything that an enum can be, from which nothing can be missing.

/// Gives an enum its constant `ALL`: what is listed here, in this order. What is left out does not compile.
#[macro_export]
macro_rules! all_variants {
    ($(#[$about:meta])* $visibility:vis $name:ident: $($variant:ident $(($($inner:tt)*))?),+ $(,)?) => {
        impl $name {
            $(#[$about])*
            $visibility const ALL: [$name; [$(stringify!($variant)),+].len()] =
                [$($name::$variant $(($($inner)*))?),+];
        }

        // The compiler names what this match does not know of.
        const _: fn(&$name) = |one| match one {
            $($name::$variant $(($($inner)*))? => {})+
        };
    };
}

#[cfg(test)]
mod tests {
    #[derive(Clone, Copy, Debug, PartialEq)]
    enum TestSize {
        Small,
        Large(bool),
    }

    all_variants! {
        TestSize: Large(true), Small, Large(false)
    }

    #[test]
    fn the_list_is_what_is_written_in_this_order() {
        assert_eq!(TestSize::ALL, [TestSize::Large(true), TestSize::Small, TestSize::Large(false)]);
    }
}
