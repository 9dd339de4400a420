/** Encodings that people can choose, where the one that was found is not the one of the file. */
export const ENCODINGS = [
  'utf-8',
  'utf-16le',
  'utf-16be',
  'windows-1252',
  'windows-1250',
  'windows-1251',
  'macintosh',
  'shift_jis',
  'gb18030',
] as const;
export type Encoding = (typeof ENCODINGS)[number];

export interface Decoded {
  text: string;
  encoding: Encoding;
}

const SAMPLE = 4096;

function fromMark([first, second, third]: Uint8Array): Encoding | undefined {
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8';
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  return undefined;
}

/** UTF-16 without a mark: in a file of mostly Latin letters every other byte is zero. */
function fromZeros(bytes: Uint8Array): Encoding | undefined {
  const sample = bytes.subarray(0, SAMPLE);
  const zeros = [0, 0];
  for (const [at, byte] of sample.entries()) if (byte === 0) zeros[at % 2] = (zeros[at % 2] ?? 0) + 1;
  const [even = 0, odd = 0] = zeros;
  const many = sample.length / 5;
  if (odd > many && even === 0) return 'utf-16le';
  if (even > many && odd === 0) return 'utf-16be';
  return undefined;
}

/**
 * Text of a file whose encoding nobody said: by its mark, else UTF-16 by its zeros, else UTF-8, and what is none of
 * these is read as Windows-1252, which takes every byte. Where somebody said it, by that.
 */
export function decode(bytes: Uint8Array, said?: Encoding): Decoded {
  if (said !== undefined) return { text: new TextDecoder(said).decode(bytes), encoding: said };
  const encoding = fromMark(bytes) ?? fromZeros(bytes) ?? 'utf-8';
  try {
    return { text: new TextDecoder(encoding, { fatal: true }).decode(bytes), encoding };
  } catch {
    return { text: new TextDecoder('windows-1252').decode(bytes), encoding: 'windows-1252' };
  }
}
