/**
 * A seccomp program for bubblewrap, as bytes.
 *
 * Why: if root starts it, uid 65534 inside is root outside, so a setuid file left in the working directory would be
 * setuid root. Namespaces cannot forbid that bit, but a filter on the mode arguments can. Calls whose arguments a
 * filter cannot see (openat2, io_uring) return "not implemented", as do calls that keep state beyond a process
 * (keyrings, POSIX queues) or that only widen the kernel's attack surface.
 *
 * A filter is a list of 8-byte instructions `{u16 code, u8 jump-if-true, u8 jump-if-false, u32 k}`.
 */
interface Calls {
  audit: number;
  /** Call numbers from here on belong to another ABI of the same architecture. */
  end: number;
  /** Call number → index of its mode argument. */
  modes: [call: number, mode: number][];
  /** Call number → indexes of its flags and mode arguments. The mode counts only if the flags create a file. */
  opens: [call: number, flags: number, mode: number][];
  missing: number[];
}

const CALLS: Partial<Record<NodeJS.Architecture, Calls>> = {
  x64: {
    audit: 0xc000003e,
    end: 0x40000000,
    modes: [
      [85, 1],
      [90, 1],
      [91, 1],
      [268, 2],
      [452, 2],
      [83, 1],
      [258, 2],
      [133, 1],
      [259, 2],
    ],
    opens: [
      [2, 1, 2],
      [257, 2, 3],
    ],
    missing: [437, 425, 426, 427, 240, 248, 249, 250, 321, 298, 323],
  },
  arm64: {
    audit: 0xc00000b7,
    end: 0xffffffff,
    modes: [
      [52, 1],
      [53, 2],
      [452, 2],
      [34, 2],
      [33, 2],
    ],
    opens: [[56, 2, 3]],
    missing: [437, 425, 426, 427, 180, 217, 218, 219, 280, 241, 282],
  },
};

const LOAD = 0x20;
const JUMP_EQUAL = 0x15;
const JUMP_AT_LEAST = 0x35;
const JUMP_ANY_BIT = 0x45;
const RETURN = 0x06;
const ALLOW = 0x7fff0000;
const NOT_PERMITTED = 0x00050001;
const NOT_IMPLEMENTED = 0x00050026;
const SETUID_OR_SETGID = 0o6000;
const CREATES = 0o100 | 0o20000000;
const NUMBER_AT = 0;
const ARCH_AT = 4;

/** Undefined on an architecture whose call numbers are not listed. */
export function seccompFilter(arch: NodeJS.Architecture = process.arch): Buffer | undefined {
  const calls = CALLS[arch];
  if (!calls) return undefined;
  return Buffer.concat([
    instruction(LOAD, ARCH_AT),
    instruction(JUMP_EQUAL, calls.audit, 1, 0),
    instruction(RETURN, NOT_IMPLEMENTED),
    instruction(LOAD, NUMBER_AT),
    instruction(JUMP_AT_LEAST, calls.end, 0, 1),
    instruction(RETURN, NOT_IMPLEMENTED),
    ...calls.missing.flatMap((call) => [
      instruction(JUMP_EQUAL, call, 0, 1),
      instruction(RETURN, NOT_IMPLEMENTED),
    ]),
    ...calls.modes.flatMap(([call, mode]) => [instruction(JUMP_EQUAL, call, 0, 4), ...refuseBits(mode)]),
    ...calls.opens.flatMap(([call, flags, mode]) => [
      instruction(JUMP_EQUAL, call, 0, 7),
      instruction(LOAD, argument(flags)),
      instruction(JUMP_ANY_BIT, CREATES, 1, 0),
      instruction(RETURN, ALLOW),
      ...refuseBits(mode),
    ]),
    instruction(RETURN, ALLOW),
  ]);
}

function refuseBits(mode: number): Buffer[] {
  return [
    instruction(LOAD, argument(mode)),
    instruction(JUMP_ANY_BIT, SETUID_OR_SETGID, 0, 1),
    instruction(RETURN, NOT_PERMITTED),
    instruction(RETURN, ALLOW),
  ];
}

/** The low half of an argument; both architectures are little-endian. */
function argument(index: number): number {
  return 16 + 8 * index;
}

function instruction(code: number, k: number, ifTrue = 0, ifFalse = 0): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeUInt16LE(code, 0);
  bytes.writeUInt8(ifTrue, 2);
  bytes.writeUInt8(ifFalse, 3);
  bytes.writeUInt32LE(k, 4);
  return bytes;
}
