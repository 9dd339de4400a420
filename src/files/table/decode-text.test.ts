import { expect, test } from 'vitest';
import { decodeText } from './decode-text.ts';

const TEXT = 'Id,Name\r\n1,Zoë Đặng\r\n2,"Łukasz, Å"\r\n';

function utf16(text: string, little: boolean, mark: boolean): Uint8Array {
  const marked = mark ? `\uFEFF${text}` : text;
  const view = new DataView(new ArrayBuffer(marked.length * 2));
  for (let at = 0; at < marked.length; at += 1) view.setUint16(at * 2, marked.charCodeAt(at), little);
  return new Uint8Array(view.buffer);
}

test.each([
  ['utf-8', new TextEncoder().encode(TEXT)],
  ['utf-8', new TextEncoder().encode(`\uFEFF${TEXT}`)],
  ['utf-16le', utf16(TEXT, true, true)],
  ['utf-16be', utf16(TEXT, false, true)],
  ['utf-16le', utf16(TEXT, true, false)],
  ['utf-16be', utf16(TEXT, false, false)],
])('detects %s', (encoding, bytes) => {
  expect(decodeText(bytes)).toEqual({ text: TEXT, encoding });
});

test('decodes invalid Unicode as Windows-1252', () => {
  const bytes = Uint8Array.from('Jos\u00e9,\u00fc', (letter) => letter.charCodeAt(0));
  expect(decodeText(bytes)).toEqual({ text: 'José,ü', encoding: 'windows-1252' });
});

test('decodes an empty file as an empty text', () => {
  expect(decodeText(new Uint8Array())).toEqual({ text: '', encoding: 'utf-8' });
});
