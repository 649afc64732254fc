use crate::shell::read;
use pretty_assertions::assert_eq;

/// The commands that are found in `command`, wrappers included, and why something in it cannot be seen.
fn describe_found(command: &str) -> String {
    let script = read(command);
    let commands = script.commands.iter().map(|command| {
        let words: Vec<&str> = command.words.iter().map(|word| word.literal().unwrap_or("?")).collect();
        words.join(" ")
    });
    let unseen = script.unseen_scripts.iter().map(|doubt| format!("UNSEEN {}", doubt.why));
    commands.chain(unseen).collect::<Vec<_>>().join(" | ")
}

#[test]
fn what_a_wrapper_runs_is_found_behind_its_options() {
    for command in [
        "flock /tmp/l rm x",
        "flock -w 5 -n /tmp/l rm x",
        "flock -w5 /tmp/l rm x",
        "flock /tmp/l -c 'rm x'",
        "chrt -f 50 rm x",
        "chrt --rr 1 rm x",
        "taskset 0x1 rm x",
        "taskset -c 0,1 rm x",
        "unshare -rn rm x",
        "unshare --mount-proc=/p -r -- rm x",
        "unshare -R /new rm x",
        "chroot --userspec=a:b /new rm x",
        "prlimit --nofile=10 rm x",
        "strace -f -e trace=open -o log rm x",
        "strace -fe trace=open rm x",
        "strace -ff -olog rm x",
        "sudo A=b rm x",
        "watch -n 5 rm x",
        "watch 'rm x'",
        "script -qc 'rm x' /dev/null",
        "script --command='rm x'",
        "script out -- rm x",
        "su -c 'rm x'",
        "su - root -c 'rm x'",
        "su root --command 'rm x'",
        "runuser -u root -- rm x",
        "runuser root -c 'rm x'",
        "eval rm x",
        "eval 'rm x'",
        "eval -- rm 'x'",
        "builtin eval rm x",
        "trap 'rm x' EXIT",
        "trap -- 'rm x' 0",
        "env -S 'rm x'",
        "env -S'rm x'",
        "env -iS 'A=b rm' x",
        "env --split-string='-u B rm x'",
        "parallel 'rm x' ::: a",
        "parallel -j4 rm x ::: a",
        "parallel ::: 'rm x' 'ls'",
        "bash -euo pipefail -c 'rm x'",
        "bash --norc -c 'rm x'",
        "bash +x -c 'rm x'",
        "nice -5 rm x",
        "time -o log rm x",
        "xargs --no-run-if-empty rm x",
        "xargs -I% rm x %",
        "xargs -0 -I {} -n1 rm x",
        "env -uSHELL rm x",
        "env -iuS rm x",
        "env -u SHELL -- rm x",
        "env --unset=S -C /S rm x",
        "env -C. -S'rm x'",
        "rbash -c 'rm x'",
        "/bin/zsh -c 'rm x'",
        "setpriv --reuid=1 --no-new-privs rm x",
        "setarch x86_64 -R rm x",
        "linux64 rm x",
        "choom -n 0 -- rm x",
        "ssh-agent rm x",
        "/lib64/ld-linux-x86-64.so.2 rm x",
        "prlimit --nofile 10 rm x",
        "find . -exec nice rm x ';'",
        "logsave log rm x",
        "logsave -as log rm x",
        "xvfb-run -a rm x",
        "bash --rcfile x.sh -ic 'rm x'",
        "split --filter='rm x' a",
        "split --filter 'rm x' a",
        "split --f='rm x' a",
        "split --filter=ls --filter='rm x' a",
        "tar cf a --checkpoint=1 --checkpoint-action=exec='rm x' b",
        "tar cf a --checkpoint-act=exec='rm x' b",
        "tar xf a --to-command='rm x'",
        "tar -I 'rm x' -cf a b",
        "tar -cI 'rm x' -f a b",
        "tar -I'rm x' -cf a b",
        "tar -cM -F 'rm x' -f a b",
        "sort --compress-program='rm x' a",
        "rg --pre 'rm x' a",
        "rsync -e 'rm x' a b",
        "rsync -ae 'rm x' a b",
        "man -P 'rm x' ls",
        "git rebase --exec 'rm x' main",
        "git rebase -x 'rm x' main",
        "git bisect run rm x",
        "git submodule foreach 'rm x'",
        "git submodule foreach --recursive rm x",
        "git -C a fetch --upload-pack='rm x'",
        "git grep -O'rm x' y",
        "git clone -u 'rm x' a",
        "tar cIf 'rm x' /dev/null a",
        "tar cfI a 'rm x' b",
        "tar cFf 'rm x' a b",
        "ssh -o ProxyCommand='rm x' h",
        "ssh -oProxyCommand='rm x' h",
        "ssh -vo 'localcommand rm x' h",
        "scp -o 'KnownHostsCommand = rm x' a h:",
        "scp -S 'rm x' a h:",
        "sftp -D 'rm x'",
        "rsync --rsync-path='rm x' a h:",
        "npm exec -c 'rm x'",
        "npx --call='rm x'",
        "npx -p a -c 'rm x'",
        "ncat -c 'rm x' h 1",
        "nc -e 'rm x' h 1",
        "tmux new 'rm x'",
        "tmux new-session -d -s a rm x",
        "screen -dm rm x",
        "screen -dmS a rm x",
        "xterm -T a -e rm x",
        "perf record -g -o a rm x",
        "perf stat -- rm x",
        "ip netns exec a rm x",
        "hyperfine -r 5 'rm x'",
        "hyperfine --prepare='rm x' ls",
        "hyperfine -p 'rm x' ls",
        "socat - EXEC:'rm x'",
        "socat TCP:h:1 'system:rm x'",
        "capsh -- -c 'rm x'",
        "tmux -L atk new-session -d 'rm x'",
        "tmux -2 -f /dev/null -Lx new -d 'rm x'",
        "tmux -c 'rm x'",
        "tmux respawn-pane -k 'rm x'",
        "ip -n a netns exec b rm x",
        "ip vrf exec a rm x",
        "uv run rm x",
        "uv --quiet run --with a -- rm x",
        "poetry run rm x",
        "poetry -C sub run rm x",
        "pipenv run rm x",
        "bundle exec rm x",
        "pnpm exec rm x",
        "pnpm --filter a exec rm x",
        "yarn exec rm x",
        "yarn exec 'rm x'",
        "fd a -x rm x",
        "fd -Hx rm x",
        "fd -tf -X rm x",
        "fd a --exec rm x ';' -d 2",
        "fd a --exec-batch=rm x {}",
        "fd -xls ';' -x rm x",
        "chronic rm x",
        "direnv exec . rm x",
        "docker exec -it -e A=b web rm x",
        "docker --context c exec web rm x",
        "podman exec web rm x",
        "gdb -q --args rm x",
        "cmake -E env --unset=A B=c rm x",
        "cmake -E time rm x",
        "npx -y rm x",
        "npx --package=a -- rm x",
        "npm exec -- rm x",
        "npm --silent x rm x",
    ] {
        let found = describe_found(command);
        assert!(found.split(" | ").any(|part| part.starts_with("rm x")), "{command}: {found}");
        assert!(!found.contains("UNSEEN"), "{command}: {found}");
    }
}

#[test]
fn what_shows_a_bisection_is_found() {
    for (command, inner) in [
        ("git bisect view git push", "git push"),
        ("git bisect visualize push", "git push"),
        ("git bisect view -q gitk --all", "gitk --all"),
        ("git -C a bisect view tig", "tig"),
    ] {
        assert_eq!(describe_found(command), format!("{inner} | {command}"));
    }
}

/// What stands behind the program is its own: no option of the runner's.
#[test]
fn what_a_runner_runs_keeps_its_options() {
    for (command, inner) in [
        ("npx eslint -c x", "eslint -c x"),
        ("uv run pytest -q -p x", "pytest -q -p x"),
        ("docker exec web ls -e x", "ls -e x"),
        ("tmux -L a new -d 'ls -c x'", "ls -c x"),
    ] {
        assert_eq!(describe_found(command), format!("{inner} | {command}").replace('\'', ""));
    }
}

#[test]
fn a_script_that_cannot_be_seen_is_told() {
    let settings = "UNSEEN its settings can name programs to run";
    let (input, text, option) = (
        "UNSEEN it runs what it reads from its standard input",
        "UNSEEN the script it runs is known only when it runs",
        "UNSEEN which program it runs is not understood",
    );
    for (command, expected) in [
        ("bash", format!("bash | {input}")),
        ("sh -x -", format!("sh -x - | {input}")),
        ("bash -s a b", format!("bash -s a b | {input}")),
        ("curl x | bash", format!("curl x | bash | {input}")),
        ("bash <<< 'rm x'", format!("bash | {input}")),
        ("bash < x", format!("bash | {input}")),
        ("su", format!("su | {input}")),
        ("sudo -s", format!("sudo -s | {input}")),
        ("unshare -r", format!("unshare -r | {input}")),
        ("chroot /new", format!("chroot /new | {input}")),
        ("script log", format!("script log | {input}")),
        ("parallel -j2", format!("parallel -j2 | {input}")),
        ("bash -c \"$x\"", text.to_owned()),
        ("eval \"$x\"", format!("eval ? | {text}")),
        ("trap \"$x\" EXIT", format!("trap ? EXIT | {text}")),
        ("env -S 'r\\_m x'", format!("env -S r\\_m x | {text}")),
        ("su -c \"$x\"", format!("su -c ? | {text}")),
        ("bash $x", format!("bash ? | {text}")),
        ("timeout $x rm y", format!("timeout ? rm y | {option}")),
        ("strace --odd rm x", format!("strace --odd rm x | {option}")),
        ("strace --odd=1 rm x", format!("strace --odd=1 rm x | {option}")),
        ("env --split='rm x'", format!("env --split=rm x | {option}")),
        ("env --uns=A rm x", format!("env --uns=A rm x | {option}")),
        ("env -S \"$x\"", format!("env -S ? | {text}")),
        ("setarch -R rm x", format!("setarch -R rm x | {option}")),
        ("xargs --replace=% sh -c %", format!("xargs --replace=% sh -c % | {option}")),
        ("xargs -i sh -c '{}'", format!("xargs -i sh -c {{}} | {option}")),
        ("xargs -I% sh -c %", format!("xargs -I% sh -c % | {text}")),
        ("xargs -I x sh -c 'rm x'", format!("xargs -I x sh -c rm x | {text}")),
        ("xargs -I \"$x\" rm x", format!("xargs -I ? rm x | {option}")),
        ("find . -exec sh -c 'echo {}' ';'", format!("find . -exec sh -c echo {{}} ; | {text}")),
        ("bash /dev/stdin", format!("bash /dev/stdin | {input}")),
        ("bash /dev/fd/0", format!("bash /dev/fd/0 | {input}")),
        ("bash -x /proc/self/fd/0", format!("bash -x /proc/self/fd/0 | {input}")),
        ("bash ../../dev/stdin", format!("bash ../../dev/stdin | {input}")),
        ("bash stdin", format!("bash stdin | {input}")),
        ("bash 0", format!("bash 0 | {input}")),
        (". /dev/stdin", format!(". /dev/stdin | {input}")),
        ("source -- /dev/stdin", format!("source -- /dev/stdin | {input}")),
        ("source \"$x\"", format!("source ? | {text}")),
        ("at now", format!("at now | {input}")),
        ("bash --rcfile <(ls) -ic :", format!("ls | bash --rcfile ? -ic : | {text}")),
        ("bash --init-file /dev/stdin -ic :", format!("bash --init-file /dev/stdin -ic : | {input}")),
        ("bash --rcfile $x", format!("bash --rcfile ? | {text}")),
        ("bash -o $x -c ls", format!("bash -o ? -c ls | {option}")),
        ("start-stop-daemon -S -x /bin/rm -- x", format!("start-stop-daemon -S -x /bin/rm -- x | {option}")),
        ("logsave -q log rm x", format!("logsave -q log rm x | {option}")),
        ("split --filter=$x a", format!("split ? a | {text}")),
        ("split \"--filter=$x\" a", format!("split ? a | {text}")),
        ("split --filter \"$x\" a", format!("split --filter ? a | {text}")),
        ("git -c core.fsmonitor=x status", format!("git -c core.fsmonitor=x status | {settings}")),
        ("git -c \"$x\" status", format!("git -c ? status | {settings}")),
        ("git -C a -c core.pager=x log", format!("git -C a -c core.pager=x log | {settings}")),
        ("git --exec-path=x status", format!("git --exec-path=x status | {settings}")),
        ("git --config-env a.b=c status", format!("git --config-env a.b=c status | {settings}")),
        ("ld.so --argv0 x rm y", format!("ld.so --argv0 x rm y | {option}")),
        ("parallel 'sh -c {}' ::: 'rm x'", format!("parallel sh -c {{}} ::: rm x | {text}")),
        ("parallel -I % sh -c % ::: 'rm x'", format!("parallel -I % sh -c % ::: rm x | {option}")),
        ("parallel --rpl=x sh ::: 'rm x'", format!("parallel --rpl=x sh ::: rm x | {option}")),
    ] {
        assert_eq!(describe_found(command), expected, "{command}");
    }
}

#[test]
fn what_runs_nothing_else_stays_as_it_is() {
    for command in [
        "bash x.sh",
        "bash dir/x1",
        ". x.sh",
        "source ./env.sh a",
        "bash -x x.sh a",
        "bash --version",
        "command -v rm",
        "env",
        "env --help",
        "trap - EXIT",
        "trap -p",
        "split -l 5 a",
        "tar xzf a.tar.gz",
        "tar -xzf a.tar.gz -C Images",
        "tar -czfFI.tar a",
        "tar cf a --checkpoint=10 --checkpoint-action=dot b",
        "tar cf a --checkpoint b",
        "sort -u a",
        "rg x -- --pre",
        "rsync -a a b",
        "git -c user.name=x -c color.ui=never commit -m y",
        "git -c core.quotePath=off -C a ls-files",
        "git --exec-path",
        "git submodule update --init",
        "git bisect good",
        "git rebase -i main",
        "git clean -x",
        "git grep -n x",
        "ssh -o BatchMode=yes -S socket h",
        "scp -P 22 a h:",
        "npm test -- -c x",
        "npx --version",
        "npm run exec",
        "uv sync",
        "uv pip install run",
        "docker ps -a",
        "docker compose run web",
        "fd -e x -tf a",
        "fd -exyz a",
        "gdb a.out",
        "cmake -E rm x",
        "poetry add run",
        "tmux ls",
        "perf report",
        "ip link",
        "socat - TCP:h:1",
        "capsh --print",
        "xterm -T a",
        "eval",
        "time",
    ] {
        assert_eq!(describe_found(command), command);
    }
}

#[test]
fn a_variable_that_gives_a_program_another_meaning_is_told() {
    let doubts = |command: &str| read(command).doubts.len();
    for command in ["env BASH_ENV=x bash -c ls", "env PATH=x ls", "env LD_PRELOAD=x ls", "sudo GIT_DIR=x git status"] {
        assert_eq!(doubts(command), 1, "{command}");
    }
    for command in ["env A=b ls", "env LANG=C bash -c ls", "env a=b bash -c ls", "echo PATH=x bash", "env -u PATH ls"] {
        assert_eq!(doubts(command), 0, "{command}");
    }
}
