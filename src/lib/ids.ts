import { notFound } from '@tanstack/react-router';

const ID = /^[1-9]\d{0,9}$/;
/** Ids are int32; the service refuses others as invalid instead of answering that nothing has them. */
const MAX_ID = 2_147_483_647;

/** Parses an id in an address; undefined if nothing can have it. */
export function parseId(text: string): number | undefined {
  const id = Number(text);
  return ID.test(text) && id <= MAX_ID ? id : undefined;
}

/** Parses an id in the path of a route; an invalid one is not found. */
export function parsePathId(text: string): number {
  const id = parseId(text);
  if (id === undefined) throw notFound();
  return id;
}
