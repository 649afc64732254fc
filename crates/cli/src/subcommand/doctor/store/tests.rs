use super::*;
use crate::subcommand::doctor::CheckStatus;
use pretty_assertions::assert_eq;

fn is_broken(check: &DoctorCheck) -> bool {
    matches!(check.finding, CheckStatus::Broken { .. })
}

#[test]
fn a_directory_is_tried_and_left_as_it_was() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("state/pollux");
    assert_eq!(directory(&data), DoctorCheck::good("data", format!("{} can be written to and locked", data.display())));
    assert_eq!(fs::read_dir(&data).unwrap().count(), 0);
}

#[test]
fn a_file_where_the_directory_should_be_is_broken() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("file");
    fs::write(&file, "").unwrap();
    assert!(is_broken(&directory(&file)));
    assert!(is_broken(&directory(&file.join("below"))));
}

#[test]
fn sessions_that_cannot_be_read_are_counted() {
    let dir = tempfile::tempdir().unwrap();
    assert_eq!(sessions(dir.path()), DoctorCheck::good("sessions", "0 kept, all can be read by this release"));
    let id = "01890a5d-ac96-774b-bcce-b302099a8057";
    let session = dir.path().join("sessions").join(id);
    fs::create_dir_all(&session).unwrap();
    fs::write(session.join("log.db"), "no database").unwrap();
    let check = sessions(dir.path());
    assert!(check.message.starts_with(&format!("1 of 1 cannot be read, first {id}: ")), "{}", check.message);
    assert!(matches!(check.finding, CheckStatus::Missing { .. }));
}

#[test]
fn the_servers_database_opens_or_is_in_use_or_is_broken() {
    let dir = tempfile::tempdir().unwrap();
    assert_eq!(served(dir.path()), DoctorCheck::good("server", "`pollux serve` has no database yet"));
    drop(SessionStore::open(&DataDir::at(dir.path()).log()).unwrap());
    assert_eq!(served(dir.path()), DoctorCheck::good("server", "the database opens, its version is this release's"));
    let lock = DatabaseLock::take(dir.path(), &LockHolder::this_process(Some(9), "w")).unwrap();
    let says = format!("the database is in use by pid {} on port 9", std::process::id());
    assert_eq!(served(dir.path()), DoctorCheck::good("server", says));
    drop(lock);
    fs::write(DataDir::at(dir.path()).log(), "this is not a database, but it is long enough to be read").unwrap();
    assert!(is_broken(&served(dir.path())));
}

#[test]
fn free_space_is_that_of_the_nearest_directory() {
    let dir = tempfile::tempdir().unwrap();
    let below = dir.path().join("not/there/yet");
    assert!(free_bytes(&below).unwrap() > 0);
}
