set -e
mkdir cmd
cat > todo <<'END'
#!/bin/sh
# A list of things to do. Each subcommand is a file in cmd/.
cd "$(dirname "$0")" || exit 1
case ${1:-help} in
    help) sed -n 's/^# \([a-z]*: .*\)/\1/p' cmd/*.sh ;;
    *) exec "cmd/$1.sh" ;;
esac
END
cat > cmd/list.sh <<'END'
#!/bin/sh
# list: print all items
cat items.txt
END
printf 'buy milk\nx call Ann\nwrite report\n' > items.txt
chmod +x todo cmd/list.sh
