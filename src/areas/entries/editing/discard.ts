import { confirm } from '../../../ui/dialog/confirm.ts';
import { countStaged } from './changes.ts';
import { changesOf, discardOf } from './store.ts';
import { stagedWords } from './words.ts';

/** Asks, and takes everything back that is staged for a type; undo brings it again. */
export async function discardAll(typeId: number): Promise<void> {
  const changes = changesOf(typeId);
  const words = stagedWords(countStaged(changes));
  const yes = await confirm({
    title: `Discard ${words}?`,
    body: `${changes.doubt ? 'It is not known whether it was saved.' : 'Nothing of it was saved.'} Ctrl+Z in the grid brings it back while this page is open.`,
    action: 'Discard changes',
    cancel: 'Keep them',
    danger: true,
  });
  if (yes) discardOf(typeId, `Discard ${words}`);
}
