//! Keeps everything below a supervisor from typing into terminals. A process with CAP_SYS_ADMIN may push keys into any
//! terminal it can open, so a command that was allowed once could answer the next ask in the terminal of Pollux.
//!
//! The filter is written by hand: one of seccompiler would end 32-bit programs, and sets no_new_privs, which breaks sudo.

use rustix::io::Errno;
use seccompiler::sock_filter;
use std::io;

/// Requests that put keys into a terminal: as if they were typed, and by pasting the selection of a virtual console.
const TYPING_REQUESTS: [u32; 2] = [libc::TIOCSTI as u32, libc::TIOCLINUX as u32];

/// The number of ioctl in each calling convention of this machine, with the name that the kernel has for the convention
/// (`AUDIT_ARCH_*`). Programs with 32-bit pointers on x86-64 have two.
#[cfg(target_arch = "x86_64")]
const IOCTL_CALLS: [(u32, u32); 4] =
    [(0xc000_003e, 16), (0xc000_003e, 0x4000_0000 | 16), (0xc000_003e, 0x4000_0000 | 514), (0x4000_0003, 54)];
#[cfg(target_arch = "aarch64")]
const IOCTL_CALLS: [(u32, u32); 2] = [(0xc000_00b7, 29), (0x4000_0028, 54)];
#[cfg(target_arch = "riscv64")]
const IOCTL_CALLS: [(u32, u32); 1] = [(0xc000_00f3, 29)];

// Where `struct seccomp_data` has them. The kernel looks at the low half of a request alone, and so do we.
const CALL_NUMBER: u32 = 0;
const CALLING_CONVENTION: u32 = 4;
const REQUEST_LOW_HALF: u32 = 24;

/// Refuse what types into terminals to this thread and all that it starts, with EPERM. Without CAP_SYS_ADMIN it does
/// nothing: the kernel then lets a process type into no terminal but its own, and ours is never theirs.
pub(super) fn refuse_typing_into_terminals() -> io::Result<()> {
    match apply_filter(&build_filter()) {
        // No capability, or a kernel without filters.
        Err(Errno::ACCESS | Errno::NOSYS | Errno::INVAL) => Ok(()),
        applied => Ok(applied?),
    }
}

fn build_filter() -> Vec<sock_filter> {
    let mut filter = Vec::new();
    for (convention, number) in IOCTL_CALLS {
        filter.extend([
            load(CALLING_CONVENTION),
            jump_if_equal(convention, 0, 6),
            load(CALL_NUMBER),
            jump_if_equal(number, 0, 4),
            load(REQUEST_LOW_HALF),
            jump_if_equal(TYPING_REQUESTS[0], 1, 0),
            jump_if_equal(TYPING_REQUESTS[1], 0, 1),
            answer(libc::SECCOMP_RET_ERRNO | libc::EPERM.unsigned_abs()),
        ]);
    }
    filter.push(answer(libc::SECCOMP_RET_ALLOW));
    filter
}

fn load(offset: u32) -> sock_filter {
    instruction(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, offset, 0, 0)
}

/// Go on after as many instructions as are to be left out: when the loaded value is `value`, and when it is not.
fn jump_if_equal(value: u32, equal: u8, different: u8) -> sock_filter {
    instruction(libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K, value, equal, different)
}

fn answer(action: u32) -> sock_filter {
    instruction(libc::BPF_RET | libc::BPF_K, action, 0, 0)
}

fn instruction(code: u32, k: u32, jt: u8, jf: u8) -> sock_filter {
    sock_filter { code: code as u16, jt, jf, k }
}

#[expect(unsafe_code, reason = "the crates that apply filters all set no_new_privs")]
fn apply_filter(filter: &[sock_filter]) -> Result<(), Errno> {
    let program = libc::sock_fprog { len: filter.len() as u16, filter: filter.as_ptr().cast_mut().cast() };
    // The commands are ordinary programs: processors need not be slowed down for them.
    let flags = libc::SECCOMP_FILTER_FLAG_SPEC_ALLOW;
    // SAFETY: the kernel only copies `len` instructions of the layout that both types declare, from a slice that
    // outlives the call.
    let returned =
        unsafe { libc::syscall(libc::SYS_seccomp, libc::SECCOMP_SET_MODE_FILTER, flags, &raw const program) };
    if returned == 0 { Ok(()) } else { Err(Errno::from_io_error(&io::Error::last_os_error()).unwrap_or(Errno::IO)) }
}
