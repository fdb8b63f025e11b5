//! Frames, faults and any split of the stream.

use proptest::prelude::*;

use super::*;

fn decode(pieces: &[&[u8]], max: usize) -> Vec<Incoming> {
    let (mut codec, mut buffer, mut out) = (ContentLength::new(max), BytesMut::new(), Vec::new());
    for piece in pieces {
        buffer.extend_from_slice(piece);
        while let Some(incoming) = codec.decode(&mut buffer).unwrap() {
            out.push(incoming);
        }
    }
    while let Some(incoming) = codec.decode_eof(&mut buffer).unwrap() {
        out.push(incoming);
    }
    out
}

/// `m:` a message, `n:` noise, `t:` too long.
fn told(stream: &[u8]) -> Vec<String> {
    let text = |bytes: &Bytes| String::from_utf8_lossy(bytes).into_owned();
    let tell = |incoming: &Incoming| match incoming {
        Incoming::Message(body) => format!("m:{}", text(body)),
        Incoming::Noise(bytes) => format!("n:{}", text(bytes)),
        Incoming::TooLong { announced } => format!("t:{announced}"),
    };
    decode(&[stream], 100).iter().map(tell).collect()
}

#[test]
fn frames_are_read_however_the_header_is_spelt() {
    for header in [
        "Content-Length: 2\r\n\r\n",
        "Content-Length: 2\n\n",
        "content-length:2\r\n\r\n",
        "CONTENT-LENGTH :  2 \r\n\r\n",
        "Content-Type: application/vscode-jsonrpc; charset=utf-8\r\nContent-Length: 2\r\n\r\n",
        "Content-Length: 2\r\nContent-Type: x\r\n\r\n",
        "\r\n\r\nContent-Length: 02\r\n\r\n",
    ] {
        let messages: Vec<_> = told(format!("{header}{{}}").as_bytes());
        assert_eq!(messages.last().unwrap(), "m:{}", "{header:?}");
    }
    assert_eq!(told(b"Content-Length: 0\r\n\r\nContent-Length: 2\r\n\r\n[]"), ["m:", "m:[]"]);
}

#[test]
fn lines_that_belong_to_no_frame_are_noise() {
    assert_eq!(
        told(b"starting\nINFO: Content-Length: soon\r\nContent-Length: 2\r\n\r\n{}bye\n"),
        ["n:starting", "n:INFO: Content-Length: soon", "m:{}", "n:bye"]
    );
    // A log line printed between header and body.
    assert_eq!(told(b"Content-Length: 2\r\nwarning: x\r\n\r\n{}"), ["n:warning: x", "m:{}"]);
}

#[test]
fn a_header_is_found_in_the_middle_of_a_line() {
    // The first frame announces too little, the second's header follows its rest.
    assert_eq!(told(b"Content-Length: 2\r\n\r\n{}}}}Content-Length: 2\r\n\r\n[]"), ["m:{}", "n:}}}", "m:[]"]);
    assert_eq!(
        told(b"Content-Length: x\r\n\r\n{}Content-Length: 2\r\n\r\n[]"),
        ["n:Content-Length: x", "n:{}", "m:[]"]
    );
    // A log line that only talks about a header.
    assert_eq!(
        told(b"got Content-Length: 99\nnext\n\nContent-Length: 2\r\n\r\n[]"),
        ["n:got ", "n:next", "m:[]"]
    );
}

#[test]
fn too_much_is_told_and_passed_over() {
    assert_eq!(
        told(b"Content-Length: 99999999999999999999999\r\n\r\n{}Content-Length: 2\r\n\r\n[]"),
        [&format!("t:{}", u64::MAX), "n:{}", "m:[]"]
    );
    assert_eq!(told(b"Content-Length: 101\r\n\r\n"), ["t:101"]);
    let mut buffer = BytesMut::from(&b"Content-Length: 1000000000000\r\n\r\n{"[..]);
    let mut codec = ContentLength::new(usize::MAX);
    assert_eq!(codec.decode(&mut buffer).unwrap(), None);
    assert!(buffer.capacity() <= 2 * MAX_RESERVE, "reserved {}", buffer.capacity());
}

#[test]
fn a_line_without_end_does_not_pile_up() {
    let mut codec = ContentLength::new(100);
    let mut buffer = BytesMut::new();
    let mut seen = 0;
    for _ in 0..1_000 {
        buffer.extend_from_slice(&[b'x'; 1_000]);
        while let Some(Incoming::Noise(piece)) = codec.decode(&mut buffer).unwrap() {
            seen += piece.len();
        }
        assert!(buffer.len() <= MAX_LINE);
    }
    assert!(seen > 990_000);
    buffer.extend_from_slice(b"Content-Length: 2\r\n\r\n{}");
    let rest: Vec<_> = std::iter::from_fn(|| codec.decode(&mut buffer).unwrap()).collect();
    assert_eq!(rest.last(), Some(&Incoming::Message(Bytes::from_static(b"{}"))));
}

#[test]
fn half_a_frame_at_the_end_is_noise() {
    assert_eq!(told(b"Content-Length: 20\r\n\r\n{\"a\""), ["n:{\"a\""]);
    assert_eq!(told(b"Content-Len"), ["n:Content-Len"]);
}

fn body() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        proptest::collection::vec(any::<u8>(), 0..60),
        Just(b"{\"text\":\"Content-Length: 3\\r\\n\\r\\nabc\"}".to_vec()),
        proptest::collection::vec(b'a'..=b'z', MAX_LINE..MAX_LINE + 40),
    ]
}

/// Junk as a peer prints it: whole lines without a header, some of them long.
fn junk() -> impl Strategy<Value = String> {
    prop_oneof![
        Just(String::new()),
        "[ -~]{0,40}\n",
        Just("\r\n\n".to_owned()),
        Just("Content-Length: -5\r\n\r\n".to_owned()),
        Just("Content-Length 5\r\n".to_owned()),
        Just(format!("{}\n", "y".repeat(2 * MAX_LINE + 7))),
    ]
    .prop_filter("no header of its own", |text| {
        !text.lines().any(|line| find_header(line.as_bytes()).is_some())
    })
}

fn stream(frames: &[(String, Vec<u8>)]) -> Vec<u8> {
    let mut stream = BytesMut::new();
    for (junk, body) in frames {
        stream.extend_from_slice(junk.as_bytes());
        ContentLength::new(0).encode(body, &mut stream).unwrap();
    }
    stream.to_vec()
}

proptest! {
    #[test]
    fn junk_between_frames_loses_none(frames in proptest::collection::vec((junk(), body()), 0..6)) {
        let messages: Vec<Vec<u8>> = decode(&[&stream(&frames)], usize::MAX)
            .into_iter()
            .filter_map(|incoming| match incoming {
                Incoming::Message(body) => Some(body.to_vec()),
                _ => None,
            })
            .collect();
        let sent: Vec<Vec<u8>> = frames.into_iter().map(|(_, body)| body).collect();
        prop_assert_eq!(messages, sent);
    }

    #[test]
    fn any_split_gives_the_same(
        frames in proptest::collection::vec((junk(), body()), 0..4),
        tail in "[ -~\n]{0,40}",
        max in prop_oneof![Just(usize::MAX), 0usize..60],
        cuts in proptest::collection::vec(any::<proptest::sample::Index>(), 0..40),
    ) {
        let mut whole = stream(&frames);
        whole.extend_from_slice(tail.as_bytes());
        let mut places: Vec<usize> = cuts.iter().map(|cut| cut.index(whole.len() + 1)).collect();
        places.extend([0, whole.len()]);
        places.sort_unstable();
        let pieces: Vec<&[u8]> = places.windows(2).map(|pair| &whole[pair[0]..pair[1]]).collect();
        prop_assert_eq!(decode(&pieces, max), decode(&[&whole], max));
    }

    #[test]
    fn any_bytes_are_survived_and_the_next_frames_found(junk in proptest::collection::vec(any::<u8>(), 0..400)) {
        let mut whole = junk;
        // A false header in the junk may swallow a frame, at most its own length of them.
        whole.extend(stream(&vec![("\n".to_owned(), b"{}".to_vec()); 3]));
        let incoming = decode(&[&whole], 20);
        let found = incoming.contains(&Incoming::Message(Bytes::from_static(b"{}")));
        prop_assert!(found, "no frame in {:?}", incoming);
    }
}
