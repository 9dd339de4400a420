import { Plus } from 'lucide-react';
import { Suspense, useState } from 'react';
import { useAllowed } from '../../../api/session.ts';
import type { EntryTypeVm } from '../../../api/generated/types.gen.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { later } from '../../../ui/later.ts';
import type { Schema } from '../model/schema.ts';

const NewEntryPanel = later(() => import('./NewEntryPanel.tsx'));

interface NewEntryProps {
  type: EntryTypeVm;
  schema: Schema;
}

/** Adds an entry to what is staged for a type. */
export function NewEntry({ type, schema }: NewEntryProps) {
  const { reason } = useAllowed('updateEntries');
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button variant="primary" icon={Plus} disabledReason={reason} onClick={() => setOpen(true)}>
        New {type.singularName}
      </Button>
      <Suspense>{open && <NewEntryPanel {...{ type, schema }} onClose={() => setOpen(false)} />}</Suspense>
    </>
  );
}
