test "$(cat hosts.txt)" = "# machines
hosts: alpha,beta,delta,gamma"
