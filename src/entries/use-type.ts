import { getRouteApi, notFound } from '@tanstack/react-router';
import { typeCalled, useSchema } from './schema.ts';

const route = getRouteApi('/_app/entries/$type');

/** The entry type of the address with its fields, which the route's loader has read. */
export function useType() {
  const schema = useSchema();
  const type = typeCalled(schema.types, route.useParams().type);
  // It was there when the page opened: somebody has deleted it since.
  if (!type) throw notFound();
  return { schema, type, fields: schema.fieldsOf(type.id) };
}
