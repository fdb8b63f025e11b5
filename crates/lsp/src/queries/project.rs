//! `diagnostics "*"`: the project's own checkers in place of servers.

use tool::Output;

use super::Queries;
use crate::{Error, checkers};

impl Queries {
    pub(crate) async fn check_project(&self) -> Result<Output, Error> {
        if !self.servers.runs_project_code() {
            return Err(Error::ProjectCode);
        }
        let host = self.servers.host();
        let checked = checkers::check_project(&self.workspace, &host.environment, &*host.spawn).await?;
        Ok(checkers::output(&checked))
    }
}
