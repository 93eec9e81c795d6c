declare const principal: unique symbol;

/** A resource of a service. It is plain data, which `api()` compiles. */
export interface Resource<Principal> {
  readonly [principal]: (value: Principal) => void;
}
