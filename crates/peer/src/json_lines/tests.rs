//! Lines, overlong lines and any split of the stream.

use proptest::prelude::*;

use super::*;

fn decode(pieces: &[&[u8]], max: usize) -> Vec<Line> {
    let (mut codec, mut buffer, mut out) = (JsonLines::new(max), BytesMut::new(), Vec::new());
    for piece in pieces {
        buffer.extend_from_slice(piece);
        while let Some(line) = codec.decode(&mut buffer).unwrap() {
            out.push(line);
        }
        assert!(buffer.len() <= max, "an overlong line piles up");
    }
    while let Some(line) = codec.decode_eof(&mut buffer).unwrap() {
        out.push(line);
    }
    out
}

fn message(text: &'static str) -> Line {
    Line::Message(Bytes::from_static(text.as_bytes()))
}

#[test]
fn a_message_is_a_line() {
    assert_eq!(
        decode(&[b"{}\n\r\n  \n[1]\r\n\"last\""], 10),
        [message("{}"), message("[1]"), message("\"last\"")]
    );
}

#[test]
fn an_overlong_line_is_counted_and_passed_over() {
    let long = [b"x".repeat(100), b"\n{}\n".to_vec()].concat();
    assert_eq!(decode(&[&long], 10), [Line::TooLong { length: 100 }, message("{}")]);
    assert_eq!(decode(&[b"0123456789\n"], 10), [message("0123456789")]);
    assert_eq!(decode(&[b"0123456789a"], 10), [Line::TooLong { length: 11 }]);
}

#[test]
fn a_line_break_inside_a_message_is_refused() {
    let mut buffer = BytesMut::new();
    assert!(JsonLines::new(10).encode("a\nb", &mut buffer).is_err());
    JsonLines::new(10).encode("ab", &mut buffer).unwrap();
    assert_eq!(&buffer[..], b"ab\n");
}

proptest! {
    #[test]
    fn any_split_gives_the_same(
        text in "[a-c \r\n]{0,120}",
        max in 0usize..20,
        cuts in proptest::collection::vec(any::<proptest::sample::Index>(), 0..40),
    ) {
        let whole = text.as_bytes();
        let mut places: Vec<usize> = cuts.iter().map(|cut| cut.index(whole.len() + 1)).collect();
        places.extend([0, whole.len()]);
        places.sort_unstable();
        let pieces: Vec<&[u8]> = places.windows(2).map(|pair| &whole[pair[0]..pair[1]]).collect();
        prop_assert_eq!(decode(&pieces, max), decode(&[whole], max));
        let told = decode(&[whole], max).len();
        prop_assert_eq!(told, text.split('\n').filter(|line| line.len() > max || !line.trim_ascii().is_empty()).count());
    }
}
