import { useState } from 'react';
import type { EntryTypeVm, FieldValue } from '../../../api/generated/types.gen.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { confirmDiscard } from '../../../ui/dialog/confirm.ts';
import { Panel } from '../../../ui/dialog/Panel.tsx';
import { announce } from '../../../ui/feedback/live.ts';
import { useUnsavedGuard } from '../../../ui/form/unsaved.ts';
import { formFields } from '../model/schema.ts';
import type { Field, Schema } from '../model/schema.ts';
import { itemText, itemsOf } from '../model/values.ts';
import type { Misfit } from './changes.ts';
import { EntryForm } from './EntryForm.tsx';
import { missingIn } from './rules.ts';
import { changesOf, stageCells } from './store.ts';

interface NewEntryPanelProps {
  type: EntryTypeVm;
  schema: Schema;
  onClose: () => void;
}

type Draft = ReadonlyMap<number, FieldValue | undefined>;

const NO_DRAFT: Draft = new Map();
const NO_MISFITS: ReadonlyMap<number, Misfit> = new Map();
const NO_FAULTS: ReadonlyMap<number, string> = new Map();

// An editor that is drawn anew with its value would take the focus back: the form gives it once.
const focusFirst = (form: HTMLFormElement | null) =>
  form?.querySelector<HTMLElement>('textarea, input')?.focus();

/** What is filled in of a new entry, until it is staged. */
export default function NewEntryPanel({ type, schema, onClose }: NewEntryPanelProps) {
  const all = schema.fieldsOf(type.id);
  const fields = formFields(all).filter((field) => field.isStoreRequestSupported);
  const [draft, setDraft] = useState(NO_DRAFT);
  const [misfits, setMisfits] = useState(NO_MISFITS);
  const [tried, setTried] = useState(false);
  const values = new Map(all.map(({ id }) => [id, draft.get(id)]));
  const missing = missingIn(all, undefined, values);
  const filled = [...draft].filter(([, value]) => itemsOf(value).length > 0);
  const change = ({ id }: Field, value: FieldValue | undefined, misfit?: Misfit) => {
    setDraft((before) => new Map(before).set(id, value));
    setMisfits(
      (before) => new Map([...before].filter(([other]) => other !== id).concat(misfit ? [[id, misfit]] : [])),
    );
  };
  const dirty = filled.length + misfits.size > 0;
  // Another page asks too; what is staged stays.
  useUnsavedGuard(dirty);
  const cancel = async () => {
    if (!dirty || (await confirmDiscard())) onClose();
  };
  const add = () => {
    setTried(true);
    if (missing.size > 0 || misfits.size > 0 || filled.length === 0) return;
    const entryId = Math.min(0, ...changesOf(type.id).cells.keys()) - 1;
    const key = all.find(({ isKey }) => isKey);
    const [name] = key ? itemsOf(draft.get(key.id)) : [];
    const entryName = key && name !== undefined ? itemText(name, key) : `New ${type.singularName}`;
    const cells = filled.map(([fieldId, value]) => ({
      entryId,
      fieldId,
      entryName,
      before: undefined,
      value,
    }));
    stageCells(type.id, cells, `New ${type.singularName}`);
    // The row says so itself, below the last one.
    announce(`${entryName} is staged: it is made when you save the changes`);
    onClose();
  };
  return (
    <Panel title={`New ${type.singularName}`} onClose={onClose} mayClose={dirty ? confirmDiscard : undefined}>
      <form
        ref={focusFirst}
        className="form"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          add();
        }}
      >
        <EntryForm
          {...{ fields, schema }}
          shown={({ id }) => draft.get(id)}
          staged={({ id }) => (misfits.has(id) ? { misfit: misfits.get(id) } : undefined)}
          faults={tried ? missing : NO_FAULTS}
          onChange={change}
        />
        <footer className="form-footer">
          <Button onClick={() => void cancel()}>Cancel</Button>
          <Button type="submit" variant="primary">
            Stage new {type.singularName}
          </Button>
        </footer>
      </form>
    </Panel>
  );
}
