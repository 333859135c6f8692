//! A first look at a CSV file: its encoding, delimiter, header and line breaks.

use crate::files::{Input, Kind, unreadable};
use cellveil_tabulate::{Place, TabulateError, text};
use encoding_rs::WINDOWS_1252;
use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

const MARK: &[u8] = b"\xef\xbb\xbf";

/// What the bytes of a file say.
struct Look {
    is_utf8: bool,
    has_mark: bool,
    /// Whether line breaks alone cannot tell where a record ends.
    multiline: bool,
    /// The number of the last line, if no line break ends it.
    open: Option<u64>,
}

/// Looks through the whole file; copies it to UTF-8 if it is in another encoding.
pub(crate) fn inspect(
    path: &Path,
    delimiter: Option<u8>,
    copy: PathBuf,
) -> Result<Input, TabulateError> {
    let failed = |why: std::io::Error| unreadable(path, &why);
    let look = look(path).map_err(failed)?;
    let starts_quoted = look.has_mark && second_sign_is_quote(path).map_err(failed)?;
    let read = if look.is_utf8 && !starts_quoted {
        path.to_owned()
    } else {
        write_copy(path, &copy, look.is_utf8).map_err(|why| unreadable(&copy, &why))?;
        copy
    };
    let line = first_line(&read).map_err(failed)?;
    if line.contains('\0') {
        let why = "holds zero bytes; save it as CSV in UTF-8".to_owned();
        return Err(TabulateError::Malformed { place: Place::Line(path.to_owned(), 1), why });
    }
    let delimiter = delimiter.unwrap_or_else(|| text::delimiter(&line));
    let header = header(path, &read, delimiter)?;
    Ok(Input {
        path: path.to_owned(),
        read,
        open: look.open,
        kind: Kind::Csv { delimiter, header, multiline: look.multiline },
    })
}

/// A reader of records below the header.
pub(crate) fn reader(path: &Path, delimiter: u8) -> Result<csv::Reader<File>, std::io::Error> {
    Ok(csv::ReaderBuilder::new().delimiter(delimiter).from_reader(File::open(path)?))
}

fn header(path: &Path, read: &Path, delimiter: u8) -> Result<Vec<String>, TabulateError> {
    let mut reader = reader(read, delimiter).map_err(|why| unreadable(path, &why))?;
    let malformed = |why: csv::Error| TabulateError::Malformed {
        place: Place::Line(path.to_owned(), 1),
        why: format!("the header cannot be read: {why}"),
    };
    let header = reader.headers().map_err(malformed)?;
    let names: Vec<String> =
        header.iter().map(|name| name.trim_matches(['\u{feff}', ' ']).to_owned()).collect();
    if names.iter().all(String::is_empty) {
        Err(TabulateError::Empty(path.to_owned()))
    } else {
        Ok(names)
    }
}

fn look(path: &Path) -> Result<Look, std::io::Error> {
    let mut reader = BufReader::with_capacity(1 << 20, File::open(path)?);
    let mut look = Look { is_utf8: true, has_mark: false, multiline: false, open: None };
    let (mut quoted, mut has_feed, mut has_return) = (false, false, false);
    let (mut lines, mut last) = (1, b'\n');
    let mut pending: Vec<u8> = Vec::new();
    let mut is_start = true;
    loop {
        let chunk = reader.fill_buf()?;
        if chunk.is_empty() {
            break;
        }
        look.has_mark |= is_start && chunk.starts_with(MARK);
        is_start = false;
        for &byte in chunk {
            lines += u64::from(byte == b'\n');
            last = byte;
            match byte {
                b'"' => quoted = !quoted,
                b'\n' | b'\r' if quoted => look.multiline = true,
                b'\n' => has_feed = true,
                b'\r' => has_return = true,
                _ => {}
            }
        }
        if look.is_utf8 {
            pending.extend_from_slice(chunk);
            let valid = match std::str::from_utf8(&pending) {
                Ok(_) => pending.len(),
                // A character may go on in the next chunk.
                Err(error) if error.error_len().is_none() => error.valid_up_to(),
                Err(_) => {
                    look.is_utf8 = false;
                    pending.len()
                }
            };
            pending.drain(..valid);
        }
        let length = chunk.len();
        reader.consume(length);
    }
    look.is_utf8 &= pending.is_empty();
    look.multiline |= has_return && !has_feed;
    look.open = Some(lines).filter(|_| !matches!(last, b'\n' | b'\r'));
    Ok(look)
}

fn second_sign_is_quote(path: &Path) -> Result<bool, std::io::Error> {
    let mut start = Vec::new();
    File::open(path)?.take(MARK.len() as u64 + 1).read_to_end(&mut start)?;
    Ok(start.ends_with(b"\""))
}

/// Copies without the mark, from Windows-1252 where the file is not UTF-8.
fn write_copy(path: &Path, copy: &Path, is_utf8: bool) -> Result<(), std::io::Error> {
    let mut reader = BufReader::with_capacity(1 << 20, File::open(path)?);
    let mut writer = BufWriter::new(File::create(copy)?);
    if is_utf8 {
        reader.read_exact(&mut [0; MARK.len()])?;
        std::io::copy(&mut reader, &mut writer)?;
        return writer.flush();
    }
    loop {
        let chunk = reader.fill_buf()?;
        if chunk.is_empty() {
            return writer.flush();
        }
        let (text, _) = WINDOWS_1252.decode_without_bom_handling(chunk);
        writer.write_all(text.as_bytes())?;
        let length = chunk.len();
        reader.consume(length);
    }
}

fn first_line(path: &Path) -> Result<String, std::io::Error> {
    let mut start = Vec::new();
    File::open(path)?.take(1 << 20).read_to_end(&mut start)?;
    let end = start.iter().position(|byte| matches!(byte, b'\n' | b'\r')).unwrap_or(start.len());
    Ok(String::from_utf8_lossy(&start[..end]).into_owned())
}
