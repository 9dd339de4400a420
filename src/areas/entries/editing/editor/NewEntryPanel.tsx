import { useState } from 'react';
import type { EntryTypeVm, FieldValue } from '../../../../../contract/generated/types.gen.ts';
import { Button } from '../../../../ui/button/Button.tsx';
import { Panel } from '../../../../ui/dialog/Panel.tsx';
import { usePanelGuard } from '../../../../ui/dialog/unsaved-work.ts';
import { announce } from '../../../../ui/layout/LiveRegion.tsx';
import { getFormFields } from '../../model/schema.ts';
import type { Field, Schema } from '../../model/schema.ts';
import { formatItem, toItems } from '../../model/values.ts';
import { getChangeSet, stageCells } from '../change-set-store.ts';
import type { InvalidInput } from '../change-set.ts';
import { findMissingValues } from '../value-rules.ts';
import { EntryForm } from './EntryForm.tsx';

interface NewEntryPanelProps {
  type: EntryTypeVm;
  schema: Schema;
  onClose: () => void;
}

type Draft = ReadonlyMap<number, FieldValue | undefined>;

const NO_DRAFT: Draft = new Map();
const NO_INVALID_INPUTS: ReadonlyMap<number, InvalidInput> = new Map();
const NO_ERRORS: ReadonlyMap<number, string> = new Map();

// Focused once by the form: editors remount with their values and would take the focus back.
const focusFirst = (form: HTMLFormElement | null) =>
  form?.querySelector<HTMLElement>('textarea, input')?.focus();

/** Panel that collects the values of a new entry until it is staged. */
export default function NewEntryPanel({ type, schema, onClose }: NewEntryPanelProps) {
  const allFields = schema.getFields(type.id);
  const formFields = getFormFields(allFields).filter((field) => field.isStoreRequestSupported);
  const [draft, setDraft] = useState(NO_DRAFT);
  const [invalidInputs, setInvalidInputs] = useState(NO_INVALID_INPUTS);
  const [hasSubmitted, setHasSubmitted] = useState(false);
  // Editors commit when the focus leaves them.
  const [isTyping, setTyping] = useState(false);
  const values = new Map(allFields.map(({ id }) => [id, draft.get(id)]));
  const missing = findMissingValues(allFields, undefined, values);
  const filled = [...draft].filter(([, value]) => toItems(value).length > 0);
  const change = ({ id }: Field, value: FieldValue | undefined, invalidInput?: InvalidInput) => {
    setDraft((before) => new Map(before).set(id, value));
    setInvalidInputs(
      (before) =>
        new Map(
          [...before].filter(([other]) => other !== id).concat(invalidInput ? [[id, invalidInput]] : []),
        ),
    );
  };
  const isDirty = isTyping || filled.length + invalidInputs.size > 0;
  // Navigation asks as well; staged changes are kept.
  const { confirmClose, cancel } = usePanelGuard(isDirty, onClose);
  const add = () => {
    setHasSubmitted(true);
    if (missing.size > 0 || invalidInputs.size > 0 || filled.length === 0) return;
    const entryId = Math.min(0, ...getChangeSet(type.id).cells.keys()) - 1;
    const key = allFields.find(({ isKey }) => isKey);
    const [name] = key ? toItems(draft.get(key.id)) : [];
    const entryName = key && name !== undefined ? formatItem(name, key) : `New ${type.singularName}`;
    const cells = filled.map(([fieldId, value]) => ({
      entryId,
      fieldId,
      entryName,
      before: undefined,
      value,
    }));
    stageCells(type.id, cells, `New ${type.singularName}`);
    // Visible as a new row below the last one.
    announce(`${entryName} is staged and will be created when you save the changes`);
    onClose();
  };
  return (
    <Panel title={`New ${type.singularName}`} onClose={onClose} confirmClose={confirmClose}>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- event delegation for the editors */}
      <form
        ref={focusFirst}
        className="form"
        noValidate
        onInput={() => setTyping(true)}
        onBlur={({ target }) => {
          // Switching to another window keeps the text.
          if (document.activeElement !== target) setTyping(false);
        }}
        onSubmit={(event) => {
          event.preventDefault();
          add();
        }}
      >
        <EntryForm
          isNew
          fields={formFields}
          schema={schema}
          getShownValue={({ id }) => draft.get(id)}
          getStagedCell={({ id }) =>
            invalidInputs.has(id) ? { invalidInput: invalidInputs.get(id) } : undefined
          }
          errors={hasSubmitted ? missing : NO_ERRORS}
          onChange={change}
        />
        <footer className="form-footer">
          <Button onClick={() => void cancel()}>Cancel</Button>
          <Button type="submit" variant="primary">
            Add to changes
          </Button>
        </footer>
      </form>
    </Panel>
  );
}
