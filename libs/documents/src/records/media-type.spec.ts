import { zipSync } from 'fflate';
import { describe, expect, it } from '@jest/globals';
import { kindOf, namesInZip } from './media-type.js';

const text = (value: string): Buffer => Buffer.from(value);
const zip = (...names: string[]): Uint8Array => zipSync(Object.fromEntries(names.map((name) => [name, text('x')])));
const latin1 = (value: string): Buffer => Buffer.from(value, 'latin1');

describe('the type of a file', () => {
  it.each<[string, Uint8Array, string]>([
    ['PDF', text('%PDF-1.7\n%'), 'application/pdf'],
    ['PNG', latin1('\x89PNG\r\n\x1A\n....'), 'image/png'],
    ['JPEG', latin1('\xFF\xD8\xFF\xE0'), 'image/jpeg'],
    ['TIFF', latin1('II*\0....'), 'image/tiff'],
    ['WebP', latin1('RIFF....WEBPVP8 '), 'image/webp'],
    ['Excel', zip('[Content_Types].xml', 'xl/workbook.xml'), 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'],
    ['XML', text('\uFEFF<?xml version="1.0"?><a/>'), 'application/xml'],
    ['JSON', text(' {"a":[1]}'), 'application/json'],
    ['CSV', text('TLC;kg\r\nA-1;5\r\n'), 'text/csv'],
    ['text', text('Grüße aus Cần Thơ\n'), 'text/plain'],
    ['broken JSON', text('{"a":'), 'text/plain'],
  ])('is that of its content: %s', (_, bytes, mediaType) => expect(kindOf(bytes)).toEqual({ mediaType }));

  it.each<[string, Uint8Array]>([
    ['a program', latin1('MZ\x90\0')],
    ['a script', text('#!/bin/sh\nrm -rf /')],
    ['a page', text('<!DOCTYPE html><p>hello')],
    ['a drawing with scripts', text('<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"><script/></svg>')],
    ['an Office file with macros', zip('word/document.xml', 'word/vbaProject.bin')],
    ['an old Office file', latin1('\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1')],
    ['an archive', zip('a.txt')],
    ['a ZIP file without its directory', text('PK\x03\x04 and nothing else')],
    ['text that is not UTF-8', latin1('Gr\xFC\xDFe')],
    ['bytes', Buffer.from([0, 1, 2, 3])],
  ])('is refused with what it is: %s', (_, bytes) => expect(kindOf(bytes)).toEqual({ refused: expect.any(String) }));

  it('is read of a directory that says more entries than it has, or leads out of the file, without harm', () => {
    const whole = Buffer.from(zip('xl/workbook.xml', 'b'));
    expect(namesInZip(whole)).toEqual(['xl/workbook.xml', 'b']);
    const end = whole.length - 22;
    const more = Buffer.from(whole);
    more.writeUInt16LE(60_000, end + 10);
    const elsewhere = Buffer.from(whole);
    elsewhere.writeUInt32LE(0xff_ff_ff_f0, end + 16);
    expect([namesInZip(more), namesInZip(elsewhere)]).toEqual([null, null]);
  });
});
