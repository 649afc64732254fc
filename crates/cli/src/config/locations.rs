//! Where settings files lie. Only the process's own environment can move them, no `.env` file.

use std::path::{Path, PathBuf};

const SYSTEM_DEFAULTS: &str = "/etc/gemini-cli/system-defaults.json";
const SYSTEM_OVERRIDES: &str = "/etc/gemini-cli/settings.json";

/// The settings files of the person and the machine, and the person's `.env` files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SettingsLocations {
    pub(crate) home: Option<PathBuf>,
    pub(crate) system_defaults: PathBuf,
    /// The later one wins.
    pub(crate) user: Vec<PathBuf>,
    pub(crate) system_overrides: PathBuf,
    /// The earlier one wins.
    pub(crate) env_files: Vec<PathBuf>,
    /// Where the person's extensions lie, each in a directory of its own.
    pub(crate) extensions: Option<PathBuf>,
    /// Which tool servers of workspaces' extensions the person allowed. Ours alone: Gemini CLI knows no such file.
    pub(crate) consents: Option<PathBuf>,
}

impl SettingsLocations {
    /// Where they lie for this process. Relative paths in the environment do not count.
    pub(crate) fn from_environment(env: &dyn Fn(&str) -> Option<String>) -> SettingsLocations {
        let absolute = |name: &str| env(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let home = absolute("HOME").or_else(std::env::home_dir);
        let gemini = absolute("GEMINI_CLI_HOME").or_else(|| home.clone()).map(|home| home.join(".gemini"));
        let config = absolute("XDG_CONFIG_HOME").or_else(|| home.as_ref().map(|home| home.join(".config")));
        let consents = config.as_ref().map(|config| config.join("pollux/extension-consents.json"));
        let user = [
            config.as_ref().map(|config| config.join("gemini-cli/config.yaml")),
            gemini.as_ref().map(|gemini| gemini.join("config.yaml")),
            gemini.as_ref().map(|gemini| gemini.join("settings.json")),
            config.map(|config| config.join("pollux/settings.json")),
        ];
        let extensions = gemini.as_ref().map(|gemini| gemini.join("extensions"));
        let env_files = [gemini, home.clone()];
        let or = |name: &str, usual: &str| absolute(name).unwrap_or_else(|| usual.into());
        SettingsLocations {
            system_defaults: or("GEMINI_CLI_SYSTEM_DEFAULTS_PATH", SYSTEM_DEFAULTS),
            user: user.into_iter().flatten().collect(),
            system_overrides: or("GEMINI_CLI_SYSTEM_SETTINGS_PATH", SYSTEM_OVERRIDES),
            env_files: env_files.into_iter().flatten().map(|dir| dir.join(".env")).collect(),
            extensions,
            consents,
            home,
        }
    }

    /// The settings files of a workspace that are not the person's own, as they are in the home directory. The later one
    /// wins.
    pub(crate) fn workspace_files(&self, workspace: &Path) -> Vec<PathBuf> {
        let files = ["config.yaml", "settings.json"].map(|name| workspace.join(".gemini").join(name));
        files.into_iter().filter(|file| !self.user.iter().any(|own| is_same(own, file))).collect()
    }

    /// Where a workspace's extensions lie, unless they are the person's own.
    pub(crate) fn workspace_extensions(&self, workspace: &Path) -> Option<PathBuf> {
        let dir = workspace.join(".gemini").join("extensions");
        (!self.extensions.as_ref().is_some_and(|own| is_same(own, &dir))).then_some(dir)
    }

    /// The `.env` files of a workspace that are not the person's own. The earlier one wins.
    pub(crate) fn workspace_env_files(&self, workspace: &Path) -> Vec<PathBuf> {
        let (_, inside) = self.named_env_files(workspace);
        inside
    }

    /// Those that are links out of the workspace. They are not read: the workspace could name any file of the person.
    pub(crate) fn env_links_out_of_workspace(&self, workspace: &Path) -> Vec<PathBuf> {
        let (outside, _) = self.named_env_files(workspace);
        outside
    }

    fn named_env_files(&self, workspace: &Path) -> (Vec<PathBuf>, Vec<PathBuf>) {
        let files = [workspace.join(".gemini").join(".env"), workspace.join(".env")];
        let theirs = files.into_iter().filter(|file| !self.env_files.iter().any(|own| is_same(own, file)));
        theirs.partition(|file| leads_out_of(workspace, file))
    }
}

fn leads_out_of(workspace: &Path, file: &Path) -> bool {
    // What does not exist leads nowhere, and may be made later.
    let Ok(target) = file.canonicalize() else { return false };
    !workspace.canonicalize().is_ok_and(|workspace| target.starts_with(workspace))
}

fn is_same(one: &Path, other: &Path) -> bool {
    one == other || one.canonicalize().is_ok_and(|one| other.canonicalize().is_ok_and(|other| one == other))
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    fn with(vars: &'static [(&str, &str)]) -> impl Fn(&str) -> Option<String> {
        move |name| vars.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned())
    }

    #[test]
    fn everything_lies_below_home_unless_the_environment_says_otherwise() {
        let usual =
            SettingsLocations::from_environment(&with(&[("HOME", "/home/me"), ("GEMINI_CLI_HOME", "relative")]));
        assert_eq!(
            usual,
            SettingsLocations {
                home: Some("/home/me".into()),
                system_defaults: SYSTEM_DEFAULTS.into(),
                user: vec![
                    "/home/me/.config/gemini-cli/config.yaml".into(),
                    "/home/me/.gemini/config.yaml".into(),
                    "/home/me/.gemini/settings.json".into(),
                    "/home/me/.config/pollux/settings.json".into(),
                ],
                system_overrides: SYSTEM_OVERRIDES.into(),
                env_files: vec!["/home/me/.gemini/.env".into(), "/home/me/.env".into()],
                extensions: Some("/home/me/.gemini/extensions".into()),
                consents: Some("/home/me/.config/pollux/extension-consents.json".into()),
            }
        );
        let moved = SettingsLocations::from_environment(&with(&[
            ("HOME", "/home/me"),
            ("GEMINI_CLI_HOME", "/g"),
            ("XDG_CONFIG_HOME", "/c"),
            ("GEMINI_CLI_SYSTEM_DEFAULTS_PATH", "/s/d.json"),
            ("GEMINI_CLI_SYSTEM_SETTINGS_PATH", "/s/o.json"),
        ]));
        assert_eq!(
            moved,
            SettingsLocations {
                home: Some("/home/me".into()),
                system_defaults: "/s/d.json".into(),
                user: vec![
                    "/c/gemini-cli/config.yaml".into(),
                    "/g/.gemini/config.yaml".into(),
                    "/g/.gemini/settings.json".into(),
                    "/c/pollux/settings.json".into(),
                ],
                system_overrides: "/s/o.json".into(),
                env_files: vec!["/g/.gemini/.env".into(), "/home/me/.env".into()],
                extensions: Some("/g/.gemini/extensions".into()),
                consents: Some("/c/pollux/extension-consents.json".into()),
            }
        );
    }

    #[test]
    fn a_workspace_in_the_home_directory_has_no_files_of_its_own() {
        let locations = SettingsLocations::from_environment(&with(&[("HOME", "/home/me")]));
        assert_eq!(locations.workspace_files(Path::new("/home/me")), Vec::<PathBuf>::new());
        assert_eq!(locations.workspace_extensions(Path::new("/home/me")), None);
        assert_eq!(locations.workspace_env_files(Path::new("/home/me")), Vec::<PathBuf>::new());
        let files = ["/home/me/x/.gemini/config.yaml", "/home/me/x/.gemini/settings.json"].map(PathBuf::from);
        assert_eq!(locations.workspace_files(Path::new("/home/me/x")), files);
    }

    #[test]
    fn an_env_file_that_is_a_link_out_of_its_workspace_is_not_read() {
        use std::os::unix::fs::symlink;
        let place = tempfile::tempdir().unwrap();
        let (workspace, other) = (place.path().join("workspace"), place.path().join("other"));
        std::fs::create_dir_all(workspace.join(".gemini")).unwrap();
        std::fs::create_dir_all(&other).unwrap();
        let locations = SettingsLocations::from_environment(&with(&[("HOME", "/home/me")]));
        let [of_gemini, plain] = [workspace.join(".gemini/.env"), workspace.join(".env")];
        let found = || (locations.workspace_env_files(&workspace), locations.env_links_out_of_workspace(&workspace));
        // Files that may be made later are watched.
        assert_eq!(found(), (vec![of_gemini.clone(), plain.clone()], vec![]));
        std::fs::write(other.join(".env"), "PROD_PASSWORD=x").unwrap();
        symlink("../other/.env", &plain).unwrap();
        assert_eq!(found(), (vec![of_gemini.clone()], vec![plain.clone()]));
        std::fs::remove_file(&plain).unwrap();
        std::fs::write(workspace.join("local.env"), "").unwrap();
        symlink("local.env", &plain).unwrap();
        assert_eq!(found(), (vec![of_gemini.clone(), plain.clone()], vec![]));
        // The folder of the file can be a link, too, and so can the workspace itself.
        std::fs::remove_dir(workspace.join(".gemini")).unwrap();
        symlink(&other, workspace.join(".gemini")).unwrap();
        assert_eq!(found(), (vec![plain], vec![of_gemini]));
        let linked = place.path().join("linked");
        symlink(&workspace, &linked).unwrap();
        assert_eq!(locations.workspace_env_files(&linked), [linked.join(".env")]);
    }
}
