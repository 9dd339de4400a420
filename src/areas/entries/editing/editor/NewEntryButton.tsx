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

interface NewEntryButtonProps {
  type: EntryTypeVm;
  schema: Schema;
}

/** Opens the panel that stages a new entry. */
export function NewEntryButton({ type, schema }: NewEntryButtonProps) {
  const { reason } = usePermission('updateEntries');
  const open = useStore(newEntryTypeId) === type.id;
  const setOpen = (isOpen: boolean) => newEntryTypeId.set(isOpen ? type.id : undefined);
  return (
    <>
      <Button variant="primary" icon={Plus} disabledReason={reason} onClick={() => setOpen(true)}>
        New {type.singularName}
      </Button>
      <Suspense>{open && <NewEntryPanel {...{ type, schema }} onClose={() => setOpen(false)} />}</Suspense>
    </>
  );
}
