import { Plus } from 'lucide-react';
import { Suspense } from 'react';
import type { EntryTypeVm } from '../../../../../contract/generated/types.gen.ts';
import { usePermission } from '../../../../api/session.ts';
import { Button } from '../../../../ui/button/Button.tsx';
import { lazyWithPreload } from '../../../../ui/lazy.tsx';
import { useStore } from '../../../../ui/store.ts';
import type { Schema } from '../../model/schema.ts';
import { newEntryTypeId } from './new-entry.ts';

const NewEntryPanel = lazyWithPreload(() => import('./NewEntryPanel.tsx'));

/** Longest name of a type that a button on a phone has room for. */
const MAX_NAME_LENGTH = 24;

/** Opens the panel that stages a new entry. */
export function NewEntryButton({ type }: { type: EntryTypeVm }) {
  const { reason } = usePermission('updateEntries');
  return (
    <Button variant="primary" icon={Plus} disabledReason={reason} onClick={() => newEntryTypeId.set(type.id)}>
      New {type.singularName.length > MAX_NAME_LENGTH ? 'entry' : type.singularName}
    </Button>
  );
}

/** The panel that a button or the palette has opened; once on a page. */
export function OpenedNewEntryPanel({ type, schema }: { type: EntryTypeVm; schema: Schema }) {
  const isOpen = useStore(newEntryTypeId) === type.id;
  return (
    <Suspense>
      {isOpen && <NewEntryPanel {...{ type, schema }} onClose={() => newEntryTypeId.set(undefined)} />}
    </Suspense>
  );
}
