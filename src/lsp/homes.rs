//! Where texts are for an editor: files are where they are, what is inside the program becomes a file that cannot be written.

use super::analysis::Analysis;
use super::text::uri_of;
use crate::library::{Library, is_path};
use crate::source::SourceId;
use lsp_types::Uri;
use std::fs;
use std::path::{Path, PathBuf};

/// The folder for copies of what is inside the program, one for each version.
pub fn folder() -> PathBuf {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let base = set("XDG_CACHE_HOME")
        .or_else(|| set("LOCALAPPDATA"))
        .or_else(|| set("HOME").map(|home| home.join(".cache")))
        .filter(|base| base.is_absolute())
        .unwrap_or_else(std::env::temp_dir);
    base.join("ludwright").join(env!("CARGO_PKG_VERSION"))
}

/// Whether a file is such a copy: nothing is to be said about it.
pub fn is_copy(path: &Path) -> bool {
    path.starts_with(folder())
}

/// Whether a text may be changed: a file of the author's.
pub fn is_own(analysis: &Analysis, source: SourceId) -> bool {
    source == analysis.main()
        || analysis.project.sources.get(source).is_some_and(|text| is_path(&text.name))
            && !analysis.project.is_standard(crate::source::Span::new(source, 0, 0))
}

/// The URI under which an editor can open a text.
pub fn uri(analysis: &Analysis, source: SourceId, main: &Uri) -> Option<Uri> {
    if source == analysis.main() {
        return Some(main.clone());
    }
    let text = analysis.project.sources.get(source)?;
    if is_own(analysis, source) {
        return uri_of(Path::new(&text.name));
    }
    let name = if Library::text(&text.name).is_some() { format!("{}.game", text.name) } else { text.name.clone() };
    uri_of(&copy(&name, &text.text)?)
}

/// Writes a copy, unless it is there.
fn copy(name: &str, text: &str) -> Option<PathBuf> {
    let folder = folder();
    let path = folder.join(name);
    if fs::read_to_string(&path).is_ok_and(|known| known == text) {
        return Some(path);
    }
    fs::create_dir_all(&folder).ok()?;
    let beside = folder.join(format!("{name}.{}", std::process::id()));
    fs::write(&beside, text).ok()?;
    let mut permissions = fs::metadata(&beside).ok()?.permissions();
    permissions.set_readonly(true);
    fs::set_permissions(&beside, permissions).ok()?;
    fs::rename(&beside, &path).ok()?;
    Some(path)
}
