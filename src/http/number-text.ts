/**
 * What a number looks like in a text that a client writes by hand, in a parameter or in a filter: that of JSON, or with
 * a plus sign, with zeros in front, or without digits on one side of the point. A run of digits matches in one way only:
 * `\d+\.?\d*` would take quadratic time on a long one.
 */
export const numberPattern = String.raw`[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,6})?`;
