import type { FileValueVm } from '../../../../contract/generated/types.gen.ts';

/** A file of an entry at a time; the current one without `asOf`. */
export interface FileVersion {
  file: FileValueVm;
  asOf: string | undefined;
}

/** Versions of the same file: undefined where there was none. */
interface FilePair {
  name: string;
  versions: readonly [FileVersion | undefined, FileVersion | undefined];
}

/**
 * Pairs the files of a field at two times: unchanged ones by content, others by name, the rest by their position. Pairs that
 * differ come first.
 */
export function pairFiles(before: readonly FileVersion[], after: readonly FileVersion[]): FilePair[] {
  const rest = [...after];
  const take = (isSame: (other: FileVersion) => boolean) => {
    const index = rest.findIndex(isSame);
    return index < 0 ? undefined : rest.splice(index, 1)[0];
  };
  const found = new Map<FileVersion, FileVersion | undefined>();
  const match = (isSame: (one: FileVersion, other: FileVersion) => boolean) => {
    for (const one of before) found.set(one, found.get(one) ?? take((other) => isSame(one, other)));
  };
  match((one, other) => one.file.id === other.file.id);
  match((one, other) => one.file.name === other.file.name);
  match((one, other) => one.file.seqNumber === other.file.seqNumber);
  const pairs = [
    ...before.map((one): FilePair => ({ name: one.file.name, versions: [one, found.get(one)] })),
    ...rest.map((other): FilePair => ({ name: other.file.name, versions: [undefined, other] })),
  ];
  const isUnchanged = ({ versions: [one, other] }: FilePair) => one?.file.id === other?.file.id;
  return pairs.toSorted((a, b) => Number(isUnchanged(a)) - Number(isUnchanged(b)));
}
