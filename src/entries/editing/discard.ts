import { counted } from '../../lib/numbers.ts';
import { confirm } from '../../ui/dialog/confirm.ts';
import type { StagedCell } from './changes.ts';
import { unstageCells } from './store.ts';

/** Asks, and takes everything back that is staged for a type; undo brings it again. */
export async function discardAll(typeId: number, cells: readonly StagedCell[]): Promise<void> {
  const yes = await confirm({
    title: `Discard ${counted(cells.length, 'change', 'changes')}?`,
    body: 'They were not saved. Ctrl+Z in the grid brings them back while this page is open.',
    action: 'Discard changes',
    cancel: 'Keep them',
    danger: true,
  });
  if (yes) unstageCells(typeId, cells, `Discard ${counted(cells.length, 'change', 'changes')}`);
}
