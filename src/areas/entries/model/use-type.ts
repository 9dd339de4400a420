import { getRouteApi } from '@tanstack/react-router';
import { ServiceError } from '../../../api/errors.ts';
import { typeCalled, useSchema } from './schema.ts';

const route = getRouteApi('/_app/entries/$type');

/** The entry type of the address with its fields, which the route's loader has read. */
export function useType() {
  const schema = useSchema();
  const { type: name } = route.useParams();
  const type = typeCalled(schema.types, name);
  // It was there when the page opened: somebody has deleted it since. The router catches notFound() of loaders alone.
  if (!type) throw new ServiceError(404, `There is no entry type ${name} any more`);
  return { schema, type, fields: schema.fieldsOf(type.id) };
}
