/**
 * Random keys that all pods of a deployment share, by the name of their purpose. The service generates each key once
 * and then keeps it for ever. Throws `UnavailableError`.
 *
 * A key protects nothing from who can read the store. It only keeps who has a single text, such as an exported audit
 * event, from guessing what the text was made of.
 */
export interface ServiceKeyStore {
  /**
   * Returns the key with this name. If there is none, stores `candidate` and returns it. Of several concurrent calls
   * with one name, all return the same key.
   */
  ensure(name: string, candidate: string): Promise<string>;
}
