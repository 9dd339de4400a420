import { useQuery } from '@tanstack/react-query';
import { Download, Eye } from 'lucide-react';
import { useEffect, useMemo, useState } from 'react';
import { toServiceError } from '../../../api/errors.ts';
import { getEntryFile } from '../../../api/generated/sdk.gen.ts';
import type { FieldValue, FileValueVm } from '../../../api/generated/types.gen.ts';
import type { Field } from '../../../entries/schema.ts';
import { isFile, itemsOf } from '../../../entries/values.ts';
import { saveFile } from '../../../lib/save-file.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { toast } from '../../../ui/feedback/toast.ts';

interface EntryFilesProps {
  entryId: number;
  field: Field;
  value: FieldValue | undefined;
  canRead: boolean;
}

const size = new Intl.NumberFormat(undefined, { style: 'unit', unit: 'kilobyte', maximumFractionDigits: 1 });
// Pictures of points; a drawing could hold a program, and the service hands it out as a file only.
const RASTER = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif', 'image/bmp']);
const LARGEST_PREVIEW = 20_000_000;

/** The files of a field: what they are, to keep, and pictures to look at. */
export function EntryFiles({ entryId, field, value, canRead }: EntryFilesProps) {
  return (
    <div className="ent-files">
      {itemsOf(value)
        .filter(isFile)
        .map((file) => (
          <OneFile key={file.id} {...{ entryId, field, file, canRead }} />
        ))}
    </div>
  );
}

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

function OneFile({ entryId, field, file, canRead }: Omit<EntryFilesProps, 'value'> & { file: FileValueVm }) {
  const [shown, setShown] = useState(false);
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
  const pictured = RASTER.has(file.contentType) && file.size <= LARGEST_PREVIEW;
  const gone = canRead ? undefined : 'Files of a deleted entry are not handed out';
  return (
    <div className="ent-file">
      <bdi>{file.name}</bdi>
      <span className="ent-quiet">
        {file.contentType}, {size.format(file.size / 1000)}
      </span>
      <Button
        size="small"
        icon={Download}
        pending={pending}
        disabledReason={gone}
        onClick={() => void save()}
      >
        Download
      </Button>
      {pictured && (
        <Button
          size="small"
          icon={Eye}
          disabledReason={gone}
          aria-expanded={shown}
          onClick={() => setShown(!shown)}
        >
          {shown ? 'Hide' : 'Preview'}
        </Button>
      )}
      {shown && <Preview {...{ entryId, field, file }} />}
    </div>
  );
}

function Preview({ entryId, field, file }: { entryId: number; field: Field; file: FileValueVm }) {
  const { data, error } = useQuery({
    queryKey: [{ _id: 'getEntryFile', entryId, fieldId: field.id, file: file.id }],
    queryFn: ({ signal }) => readFile(entryId, field.id, file.seqNumber, signal),
    staleTime: Infinity,
    gcTime: 0,
    structuralSharing: false,
  });
  const url = useMemo(() => (data ? URL.createObjectURL(data) : undefined), [data]);
  // The browser keeps the bytes until they are given back.
  useEffect(() => () => (url === undefined ? undefined : URL.revokeObjectURL(url)), [url]);
  if (error) return <span className="field-error">{toServiceError(error).message}</span>;
  return url === undefined ? (
    <span className="ent-quiet">Reading the picture</span>
  ) : (
    <img className="ent-preview" src={url} alt={file.name} />
  );
}
