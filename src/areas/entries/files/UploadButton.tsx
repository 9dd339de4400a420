import { useQueryClient } from '@tanstack/react-query';
import { Upload as UploadIcon } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { FIELD } from '../../../../contract/rules/fields.ts';
import { toServiceError } from '../../../api/errors.ts';
import { markStale } from '../../../api/effects.ts';
import { holderOf } from '../../../api/session-query.ts';
import { useAllowed, useSession } from '../../../api/session.ts';
import { holdWork } from '../../../ui/form/unsaved.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { announce } from '../../../ui/feedback/live.ts';
import { toast } from '../../../ui/feedback/toast.ts';
import type { Field } from '../model/schema.ts';
import { inTurn, sendFile, whyNotSent } from './upload.ts';
import './files.css';

interface UploadButtonProps {
  entryId: number;
  field: Field;
  /** Whether the field holds a file already. */
  isHeld: boolean;
}

/** A file on its way, or one that did not arrive; it stays chosen until it has or somebody lets it go. */
interface Chosen {
  id: number;
  file: File;
  part: number;
  stop: AbortController | undefined;
  fault: string | undefined;
}

const IMAGES = 'image/png,image/jpeg,image/gif,image/webp';
const percent = new Intl.NumberFormat(undefined, { style: 'percent' });

/** Runs something that closing the tab would break off: the browser asks first. */
async function held(work: () => Promise<void>): Promise<void> {
  const release = holdWork();
  await work().finally(release);
}

/** The files on their way to a field, each with a request of its own, one after the other. */
function useUploads({ entryId, field }: Pick<UploadButtonProps, 'entryId' | 'field'>) {
  const client = useQueryClient();
  const session = useSession();
  const [chosen, setChosen] = useState<readonly Chosen[]>([]);
  const last = useRef(0);
  // Those that still wait for their turn, unless somebody lets them go.
  const waiting = useRef(new Set<number>());
  // Uploads go on while one looks elsewhere in the console; what fails then has no other place to be told.
  const isLeft = useRef(false);
  useEffect(() => {
    isLeft.current = false;
    return () => {
      isLeft.current = true;
    };
  }, []);
  const put = (id: number, next: Partial<Chosen>) =>
    setChosen((all) => all.map((one) => (one.id === id ? { ...one, ...next } : one)));
  const letGo = (id: number) => {
    waiting.current.delete(id);
    setChosen((all) => all.filter((one) => one.id !== id));
  };
  const send = async ({ id, file }: Pick<Chosen, 'id' | 'file'>) => {
    const refused = whyNotSent(file);
    if (refused !== undefined) {
      put(id, { fault: refused });
      return;
    }
    const stop = new AbortController();
    put(id, { stop, fault: undefined, part: 0 });
    const upload = { typeId: field.entryTypeId, entryId, fieldId: field.id, file };
    try {
      await sendFile(upload, holderOf(session), (part) => put(id, { part }), stop.signal);
      letGo(id);
      announce(`${file.name} was uploaded`);
      await markStale(client, 'updateEntries');
    } catch (thrown) {
      const { message, fields, status } = toServiceError(thrown);
      const fault = fields.length > 0 ? fields.map((one) => one.message).join('. ') : message;
      put(id, { stop: undefined, fault });
      if (isLeft.current) toast({ title: `${file.name} was not uploaded`, description: fault, tone: 'bad' });
      // Without an answer it may have arrived all the same: the list tells.
      if (status === 0) await markStale(client, 'updateEntries');
    }
  };
  const choose = async (files: readonly File[]) => {
    const fresh = files.map((file, at) => ({
      id: last.current + 1 + at,
      file,
      part: 0,
      stop: undefined,
      fault: undefined,
    }));
    last.current += files.length;
    setChosen((all) => [...all, ...fresh]);
    await held(() => inTurn(fresh, waiting.current, send));
  };
  const again = (one: Chosen) => held(() => send(one));
  return { chosen, choose, again, letGo };
}

/** Adds files to a field, or replaces its file; what fails stays with its reason and can be sent again. */
export function UploadButton({ entryId, field, isHeld }: UploadButtonProps) {
  const { reason } = useAllowed('updateEntries');
  const input = useRef<HTMLInputElement>(null);
  const { chosen, choose, again, letGo } = useUploads({ entryId, field });
  const several = field.isMultiSelect;
  return (
    <div className="fl-uploads">
      <input
        ref={input}
        type="file"
        hidden
        aria-label={`Files for ${field.name}`}
        multiple={several}
        accept={field.fieldType === FIELD.image ? IMAGES : undefined}
        onChange={({ target }) => {
          const files = [...(target.files ?? [])];
          // The same file may be chosen again.
          target.value = '';
          void choose(files);
        }}
      />
      {chosen.map((one) => (
        <div key={one.id} className="fl-upload">
          <bdi>{one.file.name}</bdi>
          {one.fault === undefined ? (
            <>
              <progress max={1} value={one.part} aria-label={`Upload of ${one.file.name}`} />
              <span className="num">{percent.format(one.part)}</span>
              <Button
                size="small"
                variant="quiet"
                onClick={() => (one.stop ? one.stop.abort() : letGo(one.id))}
              >
                Stop
              </Button>
            </>
          ) : (
            <>
              <span className="field-error" role="alert">
                {one.fault}
              </span>
              {whyNotSent(one.file) === undefined && (
                <Button size="small" onClick={() => void again(one)}>
                  Try again
                </Button>
              )}
              <Button size="small" variant="quiet" onClick={() => letGo(one.id)}>
                Let go
              </Button>
            </>
          )}
        </div>
      ))}
      <Button size="small" icon={UploadIcon} disabledReason={reason} onClick={() => input.current?.click()}>
        {several ? 'Add files' : isHeld ? 'Replace the file' : 'Add a file'}
        <span className="visually-hidden"> to {field.name}</span>
      </Button>
    </div>
  );
}
