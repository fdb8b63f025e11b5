//! Code that a rewrite must not destroy.

#[tokio::test]
async fn nothing_is_destroyed() {
    crate::tables::check("destroyed").await;
}
