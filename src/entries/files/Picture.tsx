import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import { toServiceError } from '../../api/errors.ts';
import type { FileValueVm } from '../../api/generated/types.gen.ts';
import { fileQuery } from './read-file.ts';
import './files.css';

interface PictureProps {
  entryId: number;
  fieldId: number;
  file: FileValueVm;
  /** A small one beside the name, which says nothing that the name does not. */
  small?: boolean;
}

/** A raster image of a field. */
export function Picture({ entryId, fieldId, file, small = false }: PictureProps) {
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
