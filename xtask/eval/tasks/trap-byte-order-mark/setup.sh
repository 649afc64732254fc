printf '\357\273\277name,town\nAnn,K\303\266ln\n' > people.csv
