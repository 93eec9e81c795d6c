"""Answers that Schemathesis takes for failures and that are none: each by the check's name and what the problem says, with the reason."""

import json
import re
from urllib.parse import parse_qs, urlsplit

import schemathesis

NAME = re.compile(r"/[A-Za-z-]+/?$")
CONTROL = re.compile(rb"[\x00-\x08\x0a-\x1f\x7f]")


def has_precondition(request):
    """Whether it can be 412 (RFC 9110, section 13.2.2): `If-Match: *` cannot where there is a record, and `If-None-Match` cannot in a read."""
    if_match = request.headers.get("If-Match")
    names_tags = if_match is not None and to_bytes(if_match).strip() != b"*"
    return names_tags or (request.method not in ("GET", "HEAD") and "If-None-Match" in request.headers)


def has_cursor(request):
    """In the query string, or in a body that has the parameters of a list."""
    parameters = {**parse_qs(urlsplit(request.url).query, keep_blank_values=True), **read_object(request.body)}
    return "after" in parameters or "before" in parameters


def has_two_spellings(request):
    """`name[in]` beside `name[in][]`, or `name` beside `name[]`: one list, whose values count together."""
    parameters = parse_qs(urlsplit(request.url).query, keep_blank_values=True)
    return any(key.endswith("[]") and key[:-2] in parameters for key in parameters)


def is_query_of_list(request):
    """Lists take QUERY (RFC 10008), which OpenAPI 3.1 has no word for. The paths of single records end with an id."""
    return request.method == "QUERY" and NAME.search(urlsplit(request.url).path) is not None


def is_record(request):
    """For other methods, these two paths are those of records with such an id, which the description has as `{id}`."""
    return urlsplit(request.url).path.endswith(("/query", "/aggregate"))


def is_aggregate(request):
    return urlsplit(request.url).path.endswith("/aggregate")


def has_large_body(request):
    return len(request.body or b"") > 65_536


def has_key(request):
    return "Idempotency-Key" in request.headers


def lacks_if_match(request):
    return "If-Match" not in request.headers


# By the problem's code, with what must be true of the request.
EXPECTED_CODES = {
    # To this check a request is right or wrong by its schema alone. Whether a record still has an entity tag is for the server to say
    # (RFC 9110, section 13.1.1), and the tags here are invented.
    ("positive_data_acceptance", "precondition_failed"): has_precondition,
    # A cursor can only be called a text: an invented one is none.
    ("positive_data_acceptance", "invalid_cursor"): has_cursor,
    # One key for two requests is a mistake of the client. The keys here are invented, and come again with other requests.
    ("positive_data_acceptance", "idempotency_key_reused"): has_key,
    # A text that is longer than its `maxLength` makes the body too large, which is 413; this check knows other statuses.
    ("negative_data_rejection", "body_too_large"): has_large_body,
    # The status of a missing If-Match is 428 (RFC 6585, section 3); this check knows 400 and 422 only.
    ("missing_required_header", "precondition_required"): lacks_if_match,
}

# By a pattern of the beginning of each message, where the code is that of every failed validation.
EXPECTED_MESSAGES = {
    # A page lies on one side of a cursor. OpenAPI cannot say of two query parameters that they exclude each other.
    ("positive_data_acceptance", "cannot stand beside after: "),
    # Nor what `near` and `q`, which make an order of their own, exclude: a sort, a cursor, a page number, each other.
    ("positive_data_acceptance", "cannot stand beside near: "),
    ("positive_data_acceptance", "cannot stand beside q: "),
    # Nor `at`, which shows a record as it was, related records, which are as they are.
    ("positive_data_acceptance", "cannot stand beside at: "),
    # Nor that one needs another.
    ("positive_data_acceptance", "is not available without (?:near|group)"),
    # Which names are those of time zones, the service knows; a schema has only what they look like.
    ("positive_data_acceptance", "must be a time zone, such as "),
    # A search needs words: a pattern of all characters of words could not be read by anybody.
    ("positive_data_acceptance", "must have a word to look for"),
    ("positive_data_acceptance", r"must have at most \d+ words and phrases"),
    # Fields of a related record can be chosen where `include`, another parameter, names the relation.
    ("positive_data_acceptance", r"cannot select `[^`]+` without `include="),
    # A filter can only be called a text: an invented one has no grammar.
    ("positive_data_acceptance", "is not a filter: "),
    # Nor of one that it excludes all filters.
    ("positive_data_acceptance", "cannot be estimated under a filter; "),
    # Nor that one of several must be there.
    ("positive_data_acceptance", "the query string must have a filter: "),
    # How deep a page lies depends on `limit`, which is another parameter.
    ("positive_data_acceptance", "is too deep: a page may skip "),
    # A part of an embedded object can be merged into one that is there: a matter of the record, which no schema of the body knows.
    ("positive_data_acceptance", "does not exist yet; to create it, send also "),
    # A reference leads to a record that the client may see: a matter of the database. The ids here are invented.
    ("positive_data_acceptance", "must be the id of a record within your reach"),
    # A pattern that counted the significant digits of a decimal could not be read by anybody.
    ("positive_data_acceptance", "must have at most 34 significant digits "),
}

# By a pattern, with what must be true of the request.
EXPECTED_MESSAGES_WITH = {
    # OpenAPI cannot say of two query parameters how many values they have in all.
    ("positive_data_acceptance", r"must have at most \d+ (values|items)$"): has_two_spellings,
    # Nor that groups are sorted by fields of `group`, another parameter.
    ("positive_data_acceptance", r"cannot sort by `[^`]+`(?:\. Allowed: |; did you mean )"): is_aggregate,
}


@schemathesis.hook
def filter_failure(context, failure, case, response):
    if is_refused_by_node(response):
        return False
    problem = read_object(response.content)
    return not any(is_expected(check, problem, response.request) for check in failure.checks)


def is_expected(check, problem, request):
    if check == "unsupported_method":
        return is_query_of_list(request) or is_record(request)
    could_be_so = EXPECTED_CODES.get((check, problem.get("code")))
    if could_be_so is not None:
        return could_be_so(request)
    messages = [error["message"] for error in problem.get("errors", [])]
    patterns = [pattern for name, pattern in EXPECTED_MESSAGES if name == check]
    patterns += [pattern for (name, pattern), could_be_so in EXPECTED_MESSAGES_WITH.items() if name == check and could_be_so(request)]
    return messages != [] and all(any(re.match(pattern, message) for pattern in patterns) for message in messages)


def is_refused_by_node(response):
    """A header with a control character (RFC 9110, section 5.5): Node's HTTP parser answers an empty 400 before any application hears of it."""
    values = response.request.headers.values()
    return response.status_code == 400 and not response.content and any(CONTROL.search(to_bytes(value)) for value in values)


def to_bytes(value):
    return value if isinstance(value, bytes) else value.encode("utf-8")


def read_object(content):
    """The members of a JSON object: of a problem, or of a body that was sent."""
    try:
        value = json.loads(content or "")
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}
