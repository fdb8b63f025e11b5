//! The lines of `/proc/self/maps`, read byte by byte: which memory a guardian may give back.
//! It must never allocate or panic: it runs between fork and exec.

/// One line of `/proc/self/maps`, read byte by byte: `start-end perms offset device inode path`.
#[derive(Default)]
pub(crate) struct MapsLine {
    field: u8,
    in_space: bool,
    pub(crate) start: usize,
    pub(crate) end: usize,
    writable: bool,
    private: bool,
    has_inode: bool,
    special: bool,
}

impl MapsLine {
    pub(crate) fn push(&mut self, byte: u8) {
        if byte == b' ' {
            self.in_space = true;
            return;
        }
        if self.in_space {
            self.field = self.field.saturating_add(1);
            self.in_space = false;
        }
        match (self.field, byte) {
            (0, b'-') => self.field = 1,
            (0, digit) => self.start = shift_hex(self.start, digit),
            (1, digit) => self.end = shift_hex(self.end, digit),
            (2, b'w') => self.writable = true,
            (2, b'p') => self.private = true,
            (5, digit) if digit != b'0' => self.has_inode = true,
            (6, b'v' | b's') => self.special = true,
            _ => {}
        }
    }

    /// `[heap]` and nameless memory; never a file's pages, `[stack]`, `[vdso]` or `[vvar]`.
    pub(crate) fn is_private_memory(&self) -> bool {
        self.writable && self.private && !self.has_inode && !self.special
    }
}

fn shift_hex(number: usize, digit: u8) -> usize {
    let value = if digit.is_ascii_digit() { digit & 0x0f } else { (digit & 0x0f).wrapping_add(9) };
    number.wrapping_shl(4) | usize::from(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> MapsLine {
        let mut line = MapsLine::default();
        text.bytes().for_each(|byte| line.push(byte));
        line
    }

    #[test]
    fn memory_that_is_given_back_is_nameless_or_the_heap() {
        let heap = parsed("55d0a7e3c000-55d0a7e5d000 rw-p 00000000 00:00 0                          [heap]");
        assert_eq!((heap.start, heap.end), (0x55d0_a7e3_c000, 0x55d0_a7e5_d000));
        assert!(heap.is_private_memory());
        assert!(parsed("7f12e4000000-7f12e4021000 rw-p 00000000 00:00 0 ").is_private_memory());
        for kept in [
            "7ffc8a5e2000-7ffc8a603000 rw-p 00000000 00:00 0                          [stack]",
            "7ffc8a7a3000-7ffc8a7a7000 r--p 00000000 00:00 0                          [vvar]",
            "7f12e8c21000-7f12e8c23000 rw-p 001d4000 fe:00 131                        /lib/libc.so.6",
            "7f12e8c21000-7f12e8c23000 rw-s 00000000 00:00 0 ",
            "7f12e8c21000-7f12e8c23000 r--p 00000000 00:00 0 ",
        ] {
            assert!(!parsed(kept).is_private_memory(), "{kept}");
        }
    }
}
