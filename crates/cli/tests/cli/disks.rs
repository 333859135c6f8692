//! Places that cannot be written to.

use crate::support::{Desk, steady};
use insta::assert_snapshot;
use std::process::Command;

fn refused(desk: &Desk, out: &str) -> String {
    let output = desk.run(&["protect", "job.toml", "--out", out]);
    assert_eq!(output.status.code(), Some(2));
    desk.no_leftovers();
    String::from_utf8(output.stderr).unwrap()
}

#[test]
fn an_output_folder_that_is_not_writable() {
    let desk = Desk::new();
    let _steady = steady();
    let mut settings = insta::Settings::clone_current();
    settings.add_filter(r"`/[^`]*/records\.csv", "`[folder]/records.csv");
    let _guard = settings.bind_to_scope();
    assert_snapshot!(refused(&desk, "/proc/cellveil/release"));
    assert_snapshot!(refused(&desk, "records.csv/release"));
    assert_snapshot!(refused(&desk, "records.csv"));
}

#[test]
fn an_output_folder_with_files_of_somebody_else_is_left_alone() {
    let desk = Desk::new();
    std::fs::create_dir(desk.path("mine")).unwrap();
    desk.write("mine/notes.txt", "keep me");
    let message = refused(&desk, "mine");
    assert!(message.contains("notes.txt"), "{message}");
    assert_eq!(std::fs::read(desk.path("mine/notes.txt")).unwrap(), b"keep me");
}

/// A file system of a few kilobytes, if this machine lets us have one.
struct SmallDisk<'a>(&'a Desk);

impl<'a> SmallDisk<'a> {
    fn mount(desk: &'a Desk) -> Option<Self> {
        std::fs::create_dir(desk.path("disk")).unwrap();
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", "size=16k", "tmpfs"]).arg(desk.path("disk"));
        let mounted = mount.output().is_ok_and(|output| output.status.success());
        if !mounted {
            eprintln!("skipped: mounting a small disk is not permitted");
        }
        mounted.then_some(Self(desk))
    }
}

impl Drop for SmallDisk<'_> {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(self.0.path("disk")).status();
    }
}

#[test]
fn a_disk_that_fills_up_is_left_empty() {
    let desk = Desk::new();
    let Some(_disk) = SmallDisk::mount(&desk) else { return };
    for out in ["disk/release", "disk"] {
        let message = refused(&desk, out);
        assert!(message.starts_with("error: cannot write"), "{message}");
        assert_eq!(std::fs::read_dir(desk.path("disk")).unwrap().count(), 0, "{out}");
    }
}
