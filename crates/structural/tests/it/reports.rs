//! What users have reported of other tools, as it must be here.

#[tokio::test]
async fn what_was_reported_elsewhere_is_right_here() {
    crate::tables::check("reports").await;
}
