//! Where a search that takes trees as they come finds nothing, too little or too much.

#[tokio::test]
async fn nothing_surprises() {
    crate::tables::check("surprises").await;
}
