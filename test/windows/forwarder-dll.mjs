#!/usr/bin/env node
// forwarder-dll.mjs OUT.dll NAME=DLL.FUNCTION…: writes a DLL for x64 that holds no code, only exports that name exports
// of other DLLs. Layout: Microsoft's "PE Format", sections "Optional Header" and "The .edata Section".
import { writeFileSync } from 'node:fs';
import { basename } from 'node:path';

const FILE_ALIGNMENT = 0x200;
const PE_OFFSET = 0x80;
const SECTION_RVA = 0x1000;
const OPTIONAL_HEADER_SIZE = 240;

const [out, ...pairs] = process.argv.slice(2);
const exported = pairs.map((pair) => pair.split('=')).sort(([a], [b]) => (a < b ? -1 : 1));
const section = makeExportSection(basename(out), exported);
writeFileSync(out, Buffer.concat([makeHeaders(section.size), section.bytes]));

/** A forwarder is an address that points into the export section itself, at the text `DLL.FUNCTION`. */
function makeExportSection(dllName, exports) {
  const count = exports.length;
  const [addresses, names, ordinals] = [40, 40 + 4 * count, 40 + 8 * count];
  const bytes = Buffer.alloc(0x1000);
  let end = 40 + 10 * count;
  const place = (text) => {
    const rva = SECTION_RVA + end;
    end += bytes.write(`${text}\0`, end, 'latin1');
    return rva;
  };
  bytes.writeUInt32LE(place(dllName), 12);
  bytes.writeUInt32LE(1, 16); // first ordinal
  bytes.writeUInt32LE(count, 20);
  bytes.writeUInt32LE(count, 24);
  for (const [index, offset] of [addresses, names, ordinals].entries()) {
    bytes.writeUInt32LE(SECTION_RVA + offset, 28 + 4 * index);
  }
  for (const [index, [name, target]] of exports.entries()) {
    bytes.writeUInt32LE(place(target), addresses + 4 * index);
    bytes.writeUInt32LE(place(name), names + 4 * index);
    bytes.writeUInt16LE(index, ordinals + 2 * index);
  }
  return { size: end, bytes: bytes.subarray(0, align(end)) };
}

function makeHeaders(sectionSize) {
  const headers = Buffer.alloc(2 * FILE_ALIGNMENT);
  headers.write('MZ', 0, 'latin1');
  headers.writeUInt32LE(PE_OFFSET, 0x3c);
  headers.write('PE\0\0', PE_OFFSET, 'latin1');

  const file = PE_OFFSET + 4;
  headers.writeUInt16LE(0x8664, file); // x64
  headers.writeUInt16LE(1, file + 2); // sections
  headers.writeUInt16LE(OPTIONAL_HEADER_SIZE, file + 16);
  headers.writeUInt16LE(0x2022, file + 18); // executable image, large addresses, DLL

  const optional = file + 20;
  headers.writeUInt16LE(0x20b, optional); // PE32+
  headers.writeBigUInt64LE(0x180000000n, optional + 24); // image base
  headers.writeUInt32LE(0x1000, optional + 32); // section alignment
  headers.writeUInt32LE(FILE_ALIGNMENT, optional + 36);
  headers.writeUInt16LE(6, optional + 40); // operating system version
  headers.writeUInt16LE(6, optional + 48); // subsystem version
  headers.writeUInt32LE(2 * SECTION_RVA, optional + 56); // image size
  headers.writeUInt32LE(headers.length, optional + 60);
  headers.writeUInt16LE(2, optional + 68); // GUI
  headers.writeUInt16LE(0x100, optional + 70); // no execution of data
  for (const [index, size] of [0x100000n, 0x1000n, 0x100000n, 0x1000n].entries()) {
    headers.writeBigUInt64LE(size, optional + 72 + 8 * index); // stack and heap, reserved and committed
  }
  headers.writeUInt32LE(16, optional + 108); // data directories, of which the first is that of exports
  headers.writeUInt32LE(SECTION_RVA, optional + 112);
  headers.writeUInt32LE(sectionSize, optional + 116);

  const section = optional + OPTIONAL_HEADER_SIZE;
  headers.write('.edata', section, 'latin1');
  headers.writeUInt32LE(sectionSize, section + 8);
  headers.writeUInt32LE(SECTION_RVA, section + 12);
  headers.writeUInt32LE(align(sectionSize), section + 16);
  headers.writeUInt32LE(headers.length, section + 20);
  headers.writeUInt32LE(0x40000040, section + 36); // initialised data, readable
  return headers;
}

function align(size) {
  return Math.ceil(size / FILE_ALIGNMENT) * FILE_ALIGNMENT;
}
