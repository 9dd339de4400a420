import { getRouteApi } from '@tanstack/react-router';
import { ServiceError } from '../../../api/errors.ts';
import { findEntryType, useSchema } from './schema.ts';

const route = getRouteApi('/_app/entries/$type');

/** The entry type of the URL with its fields, loaded by the route's loader. @throws ServiceError 404 if it was deleted */
export function useEntryType() {
  const schema = useSchema();
  const { type: name } = route.useParams();
  const type = findEntryType(schema.types, name);
  // Deleted after the page opened. Not notFound(): the router handles that only when a loader throws it.
  if (!type) throw new ServiceError(404, `The entry type ${name} no longer exists`);
  return { schema, type, fields: schema.getFields(type.id) };
}
