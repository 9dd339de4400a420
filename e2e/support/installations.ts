/** The services of one worker: every file of tests has one of its own, and nobody can forget it. */
import { type Installation, newService, type Service } from './service.ts';

/** What is the same at every beginning is made once and copied: no link is printed, nothing is set besides. */
const isCopied = ({ administrator, env }: Installation): boolean =>
  administrator !== undefined && env === undefined;

export class Installations {
  /** Stopped right after their first start, by what they hold. */
  readonly #originals = new Map<string, Service>();
  #current: { key: string; service: Service } | undefined;

  /** The service of this file; the last file's is removed with everything it held. */
  async of(file: string, installation: Installation): Promise<Service> {
    const key = JSON.stringify([file, installation]);
    if (this.#current?.key === key) return this.#current.service;
    await this.#removeCurrent();
    const original = isCopied(installation) ? await this.#original(installation) : undefined;
    const service = await newService(installation, original);
    this.#current = { key, service };
    return service;
  }

  async remove(): Promise<void> {
    await this.#removeCurrent();
    await Promise.all([...this.#originals.values()].map((service) => service.remove()));
  }

  async #original(installation: Installation): Promise<Service> {
    const key = JSON.stringify(installation);
    const known = this.#originals.get(key);
    if (known) return known;
    const original = await newService(installation);
    await original.stop();
    this.#originals.set(key, original);
    return original;
  }

  async #removeCurrent(): Promise<void> {
    const last = this.#current?.service;
    this.#current = undefined;
    await last?.remove();
  }
}
