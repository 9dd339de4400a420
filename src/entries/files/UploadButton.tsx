import { useQueryClient } from '@tanstack/react-query';
import { Upload as UploadIcon } from 'lucide-react';
import { useRef, useState } from 'react';
import { FIELD } from '../../../contract/rules/fields.ts';
import { toServiceError } from '../../api/errors.ts';
import { markStale } from '../../api/effects.ts';
import { holderOf } from '../../api/session-query.ts';
import { useAllowed, useSession } from '../../api/session.ts';
import { Button } from '../../ui/button/Button.tsx';
import { announce } from '../../ui/feedback/live.ts';
import type { Field } from '../schema.ts';
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

/** The files on their way to a field, each with a request of its own, one after the other. */
function useUploads({ entryId, field }: Pick<UploadButtonProps, 'entryId' | 'field'>) {
  const client = useQueryClient();
  const session = useSession();
  const [chosen, setChosen] = useState<readonly Chosen[]>([]);
  const last = useRef(0);
  // Those that still wait for their turn, unless somebody lets them go.
  const waiting = useRef(new Set<number>());
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
      const { message, fields } = toServiceError(thrown);
      put(id, {
        stop: undefined,
        fault: fields.length > 0 ? fields.map((one) => one.message).join('. ') : message,
      });
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
    await inTurn(fresh, waiting.current, send);
  };
  return { chosen, choose, send, letGo };
}

/** Adds files to a field, or replaces its file; what fails stays with its reason and can be sent again. */
export function UploadButton({ entryId, field, isHeld }: UploadButtonProps) {
  const { reason } = useAllowed('updateEntries');
  const input = useRef<HTMLInputElement>(null);
  const { chosen, choose, send, letGo } = useUploads({ entryId, field });
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
              <Button size="small" onClick={() => void send(one)}>
                Try again
              </Button>
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
