printf '1.3.0' | cmp - VERSION
