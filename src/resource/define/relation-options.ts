/** The options of a resource for its relations, besides `include`. */
export interface RelationOptions<Through = string, Nested = string> {
  /**
   * The relations through which clients may filter and sort the list: with `project`, by `project.status=open` and
   * `sort=project.name`, if the policy of the field in its own model says so. They are named as in `include`, at most
   * three following one another. Only the names in the array are allowed: `project.owner` alone does not allow
   * `project`. Clients reach only the records that the target's Get guards and scope show them.
   * @default none
   *
   * @example
   * through: ['project', 'project.owner']
   */
  readonly through?: readonly Through[];
  /**
   * Relations by `t.hasMany`, without `count`, whose records are served below each record:
   * `GET <prefix>/<path>/{id}/tasks` is the list of the other resource, of those that refer to the record, and `POST`
   * its create, with the reference set. Both exist as far as the other resource serves them, and require that the
   * caller may get the record.
   * @default none
   *
   * @example
   * nested: ['tasks']
   */
  readonly nested?: readonly Nested[];
}
