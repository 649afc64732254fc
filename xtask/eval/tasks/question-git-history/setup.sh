set -e
git init -q .
save() {
    git add .
    git -c user.name="$1" -c user.email=x@example.org commit -q -m "$2"
}
printf 'def legacy_tax(x):\n    return x\n' > tax.py
save Ann 'Add the tax'
printf 'def legacy_tax(x):\n    return x * 2\n' > tax.py
save Bob 'Fix legacy_tax'
printf 'def tax(x):\n    return x * 2\n' > tax.py
save Mira 'Simplify'
printf 'def tax(x):\n    return x * 3\n' > tax.py
save Bob 'Raise it; legacy_tax would have been wrong'
