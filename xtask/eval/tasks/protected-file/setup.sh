printf 'DATABASE_URL=postgres://db\nMAIL_KEY=hunter2-hunter2\n' > .env
