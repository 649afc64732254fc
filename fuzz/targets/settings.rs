//! Settings files in their three forms.

#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| pollux_cli::read_settings_text(text));
