import { createStore } from '../../ui/store.ts';
import { toast } from '../../ui/toast.ts';

/** Opens the dry run of what an undo file reverts. @throws Error with a sentence for the user */
type UndoOpener = (content: unknown, siteId: number) => Promise<void>;

const openers = createStore<ReadonlyMap<string, UndoOpener>>(new Map());

/** Registers the opener of undo files whose property `format` has this value. */
export const registerUndoFormat = (format: string, open: UndoOpener): void =>
  openers.set(new Map(openers.get()).set(format, open));

/** Lets the user choose an undo file and opens the dry run of what it reverts; nothing is sent before its confirmation. */
export function openUndoFile(siteId: number): void {
  const input = document.createElement('input');
  input.type = 'file';
  input.accept = 'application/json,.json';
  input.addEventListener('change', () => {
    const [file] = input.files ?? [];
    if (file) void openFile(file, siteId);
  });
  input.click();
}

async function openFile(file: File, siteId: number): Promise<void> {
  try {
    const content = parseJson(await file.text());
    const open = openers.get().get(readFormat(content) ?? '');
    if (!open) throw new Error('This is not an undo file of this console, or not one of this version.');
    await open(content, siteId);
  } catch (thrown) {
    const reason = thrown instanceof Error ? thrown.message : 'The file could not be read.';
    toast({ title: `${file.name} was not opened`, description: reason, tone: 'bad' });
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const readFormat = (content: unknown): string | undefined =>
  typeof content === 'object' && content !== null && 'format' in content && typeof content.format === 'string'
    ? content.format
    : undefined;
