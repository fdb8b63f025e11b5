//! What the types forbid, shown by programs that do not compile, each beside a twin that does and differs in the
//! forbidden step alone. It holds no code of its own.
//!
//! A read tool cannot ask for a permit:
//! ```compile_fail
//! use outrigger_tool::{Error, ReadContext, WritePermit};
//! fn ask(cx: &ReadContext) -> Result<WritePermit, Error> {
//!     cx.permit(["/w/a".into()])
//! }
//! ```
//! A write tool can, and so can an exec tool:
//! ```
//! use outrigger_tool::{Error, ExecContext, WriteContext, WritePermit};
//! fn ask(cx: &WriteContext) -> Result<WritePermit, Error> {
//!     cx.permit(["/w/a".into()])
//! }
//! fn ask_too(cx: &ExecContext) -> Result<WritePermit, Error> {
//!     cx.permit(["/w/a".into()])
//! }
//! ```
//!
//! A permit cannot be copied:
//! ```compile_fail
//! use outrigger_tool::WritePermit;
//! fn keep(permit: &WritePermit) -> WritePermit {
//!     permit.clone()
//! }
//! ```
//! It can be moved:
//! ```
//! use outrigger_tool::WritePermit;
//! fn keep(permit: WritePermit) -> WritePermit {
//!     permit
//! }
//! ```
//!
//! A context cannot be made outside, by name:
//! ```compile_fail
//! use outrigger_tool::{Call, ReadContext};
//! fn make(call: Call) -> ReadContext {
//!     ReadContext(std::sync::Arc::new(call))
//! }
//! ```
//! from a lower one:
//! ```compile_fail
//! use outrigger_tool::{ReadContext, WriteContext};
//! fn raise(cx: ReadContext) -> WriteContext {
//!     WriteContext(cx)
//! }
//! ```
//! or through the sealed trait, which a type parameter brings into reach, but which takes a value nobody else has:
//! ```compile_fail
//! use outrigger_tool::{Call, Context};
//! fn forge<C: Context>(call: Call) -> C {
//!     C::admitted(std::sync::Arc::new(call))
//! }
//! ```
//! What is in reach compares the grant of the call with the tier of the context:
//! ```
//! use outrigger_tool::{Call, Context, Error, ReadContext, Spec, WriteContext};
//! fn admit<C: Context>(call: Call, spec: &Spec) -> Result<C, Error> {
//!     C::admit(call, spec)
//! }
//! fn lower(cx: &WriteContext) -> ReadContext {
//!     ReadContext::clone(cx)
//! }
//! ```
//!
//! A permit cannot be made outside:
//! ```compile_fail
//! use outrigger_tool::WritePermit;
//! fn make() -> WritePermit {
//!     WritePermit { paths: vec!["/w/a".into()], ..todo!() }
//! }
//! ```
//! It can be read:
//! ```
//! use outrigger_tool::WritePermit;
//! fn read(permit: &WritePermit) -> usize {
//!     permit.paths().len()
//! }
//! ```
//!
//! `Context` cannot be implemented outside:
//! ```compile_fail
//! use outrigger_tool::{Context, Tier};
//! struct Mine;
//! impl Context for Mine {
//!     const TIER: Tier = Tier::Exec;
//! }
//! ```
//! It can be asked:
//! ```
//! use outrigger_tool::{Context, ExecContext, Tier};
//! const TOP: Tier = <ExecContext as Context>::TIER;
//! assert_eq!(TOP, Tier::Exec);
//! ```
