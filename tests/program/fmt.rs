//! The command `fmt`: standard input passed through, files replaced where they are.

use super::common::{fresh, ludwright};
use std::io::Write as _;
use std::process::{Output, Stdio};

fn fmt(args: &[&str], input: &str) -> Output {
    let mut child = ludwright()
        .arg("fmt")
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    child.wait_with_output().unwrap()
}

const UGLY: &str = "game   \"Ugly\"\nplayers A,B\n";
const HANDSOME: &str = "game \"Ugly\"\nplayers A, B\n";

#[test]
fn standard_input_is_passed_through() {
    let output = fmt(&["-"], UGLY);
    assert!(output.status.success() && output.stderr.is_empty());
    assert_eq!(String::from_utf8(output.stdout).unwrap(), HANDSOME);
    let broken = fmt(&["-"], "game \"Ugly\"\nplayers ,\n");
    assert_eq!(broken.status.code(), Some(1));
    assert!(broken.stdout.is_empty());
    assert!(String::from_utf8_lossy(&broken.stderr).contains("<stdin>:2"), "{broken:?}");
}

#[test]
fn files_are_replaced_links_and_permissions_stay() {
    let folder = fresh("fmt");
    std::fs::create_dir_all(&folder).unwrap();
    let (file, broken) = (folder.join("ugly.game"), folder.join("broken.game"));
    std::fs::write(&file, UGLY).unwrap();
    std::fs::write(&broken, "game \n").unwrap();
    let path = folder.to_str().unwrap();
    let checked = fmt(&[path, "--check"], "");
    assert_eq!(checked.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&checked.stdout).contains("+players A, B"));
    assert_eq!(std::fs::read_to_string(&file).unwrap(), UGLY);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o640)).unwrap();
        std::os::unix::fs::symlink(&file, folder.join("link.game")).unwrap();
        let output = fmt(&[folder.join("link.game").to_str().unwrap()], "");
        assert!(output.status.success(), "{output:?}");
        assert!(folder.join("link.game").is_symlink());
        assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o640);
    }
    #[cfg(not(unix))]
    fmt(&[file.to_str().unwrap()], "");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), HANDSOME);
    let again = fmt(&[path], "");
    assert_eq!(again.status.code(), Some(1), "the broken file is told");
    assert_eq!(std::fs::read_to_string(&broken).unwrap(), "game \n");
    assert!(
        std::fs::read_dir(&folder).unwrap().all(|entry| !entry.unwrap().file_name().to_string_lossy().ends_with("tmp"))
    );
    std::fs::remove_dir_all(&folder).unwrap();
    assert_eq!(fmt(&[path], "").status.code(), Some(1));
    assert_eq!(fmt(&[], "").status.code(), Some(2));
    assert!(String::from_utf8_lossy(&fmt(&["equi"], "").stderr).contains("inside the program"));
}
