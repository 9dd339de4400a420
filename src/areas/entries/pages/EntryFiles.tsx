import { ArrowDown, ArrowUp, Download, Eye, EyeOff, File, Trash2 } from 'lucide-react';
import { useState, useEffect, useMemo } from 'react';
import { useQuery, queryOptions } from '@tanstack/react-query';
import { toServiceError } from '../../../api/errors.ts';
import { updateEntries, getEntryFile } from '../../../api/generated/sdk.gen.ts';
import type { FieldValue, FileValueVm } from '../../../api/generated/types.gen.ts';
import { useAllowed } from '../../../api/session.ts';
import { useWrite } from '../../../api/write.ts';
import { UploadButton } from '../files/UploadButton.tsx';
import type { Field } from '../model/schema.ts';
import { isFile, itemsOf } from '../model/values.ts';
import { saveFile } from '../../../files/save-file.ts';
import { IconButton } from '../../../ui/button/IconButton.tsx';
import { confirm } from '../../../ui/dialog/confirm.ts';
import { announce } from '../../../ui/feedback/live.ts';
import { toast } from '../../../ui/feedback/toast.ts';
import '../files/files.css';

interface EntryFilesProps {
  entryId: number;
  field: Field;
  value: FieldValue | undefined;
  /** Whether the entry is still there: else its files are named, and no more. */
  canRead: boolean;
}

const UNITS = ['byte', 'kilobyte', 'megabyte'] as const;

/** In the largest unit of which there is one: "71 bytes", "1.2 MB". */
function sizeWords(size: number): string {
  const at = size < 1000 ? 0 : size < 1_000_000 ? 1 : 2;
  const unitDisplay = at === 0 ? 'long' : 'short';
  const format = { style: 'unit', unit: UNITS[at], unitDisplay, maximumFractionDigits: 1 } as const;
  return new Intl.NumberFormat(undefined, format).format(size / 1000 ** at);
}

/** The files of a field: what they are, to look at, to keep, to take away, and to add others. */
export function EntryFiles({ entryId, field, value, canRead }: EntryFilesProps) {
  const files = itemsOf(value).filter(isFile);
  return (
    <div className="fl-list">
      {files.length === 0 && <span className="ent-quiet">No data</span>}
      {files.length > 0 && (
        <ul className="fl-files" aria-label={`Files of ${field.name}`}>
          {files.map((file) => (
            <OneFile key={file.id} {...{ entryId, field, file, files, canRead }} />
          ))}
        </ul>
      )}
      {canRead && <UploadButton {...{ entryId, field }} isHeld={files.length > 0} />}
    </div>
  );
}

interface OneFileProps extends Omit<EntryFilesProps, 'value'> {
  file: FileValueVm;
  files: readonly FileValueVm[];
}

function OneFile({ entryId, field, file, files, canRead }: OneFileProps) {
  const [shown, setShown] = useState(false);
  const gone = canRead ? undefined : 'Files of a deleted entry are not handed out';
  return (
    <li className="fl-file">
      {canRead && hasThumbnail(file) ? (
        <Picture {...{ entryId, file }} fieldId={field.id} small />
      ) : (
        <span className="fl-thumb">
          <File />
        </span>
      )}
      <div className="fl-name">
        <bdi>{file.name}</bdi>
        <span className="ent-quiet">
          {field.isMultiSelect && `No. ${file.seqNumber}, `}
          {file.contentType}, {sizeWords(file.size)}
        </span>
      </div>
      <div className="fl-acts">
        {isPictured(file) && (
          <IconButton
            label={`${shown ? 'Hide' : 'Preview'} ${file.name}`}
            icon={shown ? EyeOff : Eye}
            size="small"
            disabledReason={gone}
            aria-expanded={shown}
            onClick={() => setShown(!shown)}
          />
        )}
        <DownloadButton {...{ entryId, field, file }} refusal={gone} />
        {canRead && files.length > 1 && <MoveButtons {...{ entryId, field, file, files }} />}
        {canRead && <RemoveButton {...{ entryId, field, file, files }} />}
      </div>
      {shown && <Picture {...{ entryId, file }} fieldId={field.id} />}
    </li>
  );
}

interface FileButtonProps {
  entryId: number;
  field: Field;
  file: FileValueVm;
}

function DownloadButton({
  entryId,
  field,
  file,
  refusal,
}: FileButtonProps & { refusal: string | undefined }) {
  const [pending, setPending] = useState(false);
  const save = async () => {
    setPending(true);
    try {
      saveFile(file.name, await readFile(entryId, field.id, file.seqNumber));
    } catch (thrown) {
      toast({
        title: `${file.name} could not be read`,
        description: toServiceError(thrown).message,
        tone: 'bad',
      });
    } finally {
      setPending(false);
    }
  };
  return (
    <IconButton
      label={`Download ${file.name}`}
      icon={Download}
      size="small"
      pending={pending}
      disabledReason={refusal}
      onClick={() => void save()}
    />
  );
}

const idsOf = (files: readonly FileValueVm[]) => files.map(({ id }) => id);

/** Writes which files the field holds, in this order, where it still holds those that are shown here. */
const useFilesWrite = (entryId: number, field: Field, files: readonly FileValueVm[]) =>
  useWrite('updateEntries', {
    mutationFn: (kept: readonly FileValueVm[]) => {
      const value = kept.length === 0 ? null : idsOf(kept);
      return updateEntries({
        path: { entryTypeId: String(field.entryTypeId) },
        body: { storeRequests: [{ entryId, fieldId: field.id, value, expected: { value: idsOf(files) } }] },
      });
    },
  });

interface HeldFileProps extends FileButtonProps {
  files: readonly FileValueVm[];
}

/** The order is what tells files of a field apart (`seqNumber`); a click or a key takes one a place on. */
function MoveButtons({ entryId, field, file, files }: HeldFileProps) {
  const { reason } = useAllowed('updateEntries');
  const order = useFilesWrite(entryId, field, files);
  const at = files.indexOf(file);
  const move = (by: -1 | 1) =>
    order.mutate(files.toSpliced(at, 1).toSpliced(at + by, 0, file), {
      onSuccess: () => announce(`${file.name} is number ${at + 1 + by} of ${files.length}`),
      onError: (thrown) =>
        toast({ title: 'The order stays', description: toServiceError(thrown).message, tone: 'bad' }),
    });
  return (
    <>
      <IconButton
        label={`Move ${file.name} up`}
        icon={ArrowUp}
        size="small"
        pending={order.isPending}
        disabledReason={reason ?? (at === 0 ? 'It is the first one' : undefined)}
        onClick={() => move(-1)}
      />
      <IconButton
        label={`Move ${file.name} down`}
        icon={ArrowDown}
        size="small"
        pending={order.isPending}
        disabledReason={reason ?? (at === files.length - 1 ? 'It is the last one' : undefined)}
        onClick={() => move(1)}
      />
    </>
  );
}

function RemoveButton({ entryId, field, file, files }: HeldFileProps) {
  const { reason } = useAllowed('updateEntries');
  const removal = useFilesWrite(entryId, field, files);
  const remove = async () => {
    const done = await confirm({
      title: `Remove ${file.name}?`,
      body: `It is taken out of ${field.name} at once. To bring it back, it has to be uploaded again.`,
      action: 'Remove file',
      danger: true,
      run: () => removal.mutateAsync(files.filter((one) => one !== file)),
    });
    if (done) toast({ title: `${file.name} was removed` });
  };
  return (
    <IconButton
      label={`Remove ${file.name}`}
      icon={Trash2}
      size="small"
      disabledReason={reason}
      onClick={() => void remove()}
    />
  );
}

interface PictureProps {
  entryId: number;
  fieldId: number;
  file: FileValueVm;
  /** A small one beside the name, which says nothing that the name does not. */
  small?: boolean;
}

/** A raster image of a field. */
function Picture({ entryId, fieldId, file, small = false }: PictureProps) {
  const { data, error } = useQuery(fileQuery(entryId, fieldId, file));
  const url = useMemo(() => (data ? URL.createObjectURL(data) : undefined), [data]);
  // The browser keeps the bytes until they are given back.
  useEffect(() => () => (url === undefined ? undefined : URL.revokeObjectURL(url)), [url]);
  if (error && !small) return <span className="field-error">{toServiceError(error).message}</span>;
  if (small) return <span className="fl-thumb">{url !== undefined && <img src={url} alt="" />}</span>;
  return url === undefined ? (
    <span className="ent-quiet">Reading the picture</span>
  ) : (
    <img className="fl-preview" src={url} alt={file.name} />
  );
}

// Pictures of points; a drawing could hold a program, and the service hands it out as a file only.
const RASTER = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif', 'image/bmp']);
const LARGEST_PREVIEW = 20_000_000;
/** Larger ones are fetched only when somebody wants to see them. */
const LARGEST_THUMBNAIL = 2_000_000;

const isPictured = ({ contentType, size }: FileValueVm): boolean =>
  RASTER.has(contentType) && size <= LARGEST_PREVIEW;
const hasThumbnail = (file: FileValueVm): boolean => isPictured(file) && file.size <= LARGEST_THUMBNAIL;

/** The bytes of a file of an entry. */
async function readFile(
  entryId: number,
  fieldId: number,
  seqNumber: number,
  signal?: AbortSignal,
): Promise<Blob> {
  const { data } = await getEntryFile({
    path: { entryId, fieldId: String(fieldId) },
    query: { seqNumber },
    parseAs: 'blob',
    ...(signal && { signal }),
  });
  if (data instanceof Blob) return data;
  throw new TypeError('The service answered with no file');
}

/** The same, kept while it is shown. What a file holds never changes, so no write makes it stale. */
const fileQuery = (entryId: number, fieldId: number, file: FileValueVm) =>
  queryOptions({
    queryKey: [{ content: file.id, entryId, fieldId }],
    queryFn: ({ signal }) => readFile(entryId, fieldId, file.seqNumber, signal),
    staleTime: Infinity,
    gcTime: 0,
    structuralSharing: false,
  });
