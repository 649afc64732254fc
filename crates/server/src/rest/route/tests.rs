use super::*;
use pretty_assertions::assert_eq;

/// The meaning of an address: the operation and what it names, or the status and the sentence that refuse it.
fn found(version: A2aVersion, method: &str, path: &str) -> Result<(RestOperation, String, String), (u16, String)> {
    let method = Method::from_bytes(method.as_bytes()).unwrap();
    match RestRoute::find(version, &method, path) {
        Ok(route) => Ok((route.operation, route.task, route.config)),
        Err(refused) => {
            let message = refused.fault.message.clone();
            Err((refused.respond(version).status().as_u16(), message))
        }
    }
}

fn is(operation: RestOperation, task: &str, config: &str) -> Result<(RestOperation, String, String), (u16, String)> {
    Ok((operation, task.to_owned(), config.to_owned()))
}

#[test]
fn every_row_of_the_table_is_found() {
    for version in [A2aVersion::V03, A2aVersion::V10] {
        for (method, template, operation) in table(version) {
            let path = template.replace("{id}", "t-1").replace("{configId}", "c:cancel");
            let task = if template.contains("{id}") { "t-1" } else { "" };
            let config = if template.contains("{configId}") { "c:cancel" } else { "" };
            assert_eq!(found(version, method.as_str(), &path), is(operation, task, config), "{method} {path}");
        }
    }
}

#[test]
fn a_verb_is_what_follows_the_last_colon() {
    let v10 = A2aVersion::V10;
    assert_eq!(found(v10, "GET", "tasks/urn:a:b"), is(Get, "urn:a:b", ""));
    assert_eq!(found(v10, "POST", "tasks/urn:a:b:cancel"), is(Cancel, "urn:a:b", ""));
    assert_eq!(found(v10, "POST", "tasks/a%20b%3Acancel"), is(Cancel, "a b", ""));
    assert_eq!(found(v10, "GET", "tasks/x/pushNotificationConfigs/a%2Fb"), is(GetPush, "x", "a/b"));
}

#[test]
fn another_method_is_told_which_ones_there_are() {
    let v10 = A2aVersion::V10;
    let refused = |text: &str| Err((405, text.to_owned()));
    assert_eq!(found(v10, "GET", "message:send"), refused("this address takes POST, not GET"));
    assert_eq!(found(v10, "DELETE", "tasks/x:subscribe"), refused("this address takes POST, GET, not DELETE"));
    assert_eq!(found(v10, "GET", "tasks/x:cancel"), refused("this address takes POST, not GET"));
    assert_eq!(found(v10, "POST", "tasks/x"), refused("this address takes GET, not POST"));
}

#[test]
fn a_tenant_is_refused_unless_it_is_empty() {
    assert_eq!(found(A2aVersion::V10, "GET", "/tasks/x"), is(Get, "x", ""));
    let refused = (400, "there is no tenant \"acme\": the agent card names none, leave it out".to_owned());
    assert_eq!(found(A2aVersion::V10, "GET", "acme/tasks/x"), Err(refused));
    let nothing = |path: &str| Err((404, format!("there is nothing at {path:?}; see the agent card")));
    assert_eq!(found(A2aVersion::V03, "GET", "acme/tasks/x"), nothing("/v1/acme/tasks/x"));
    for path in ["", "/", "tasks/", "tasks/:cancel", "tasks/x/y", "card", "tasks/%zz", "tasks/%ff", "tasks/%"] {
        assert_eq!(found(A2aVersion::V10, "POST", path), nothing(&format!("/a2a/v1/{path}")), "{path}");
    }
}
