"""Pictures: what pages and providers get is drawn anew from the pixels; what else a file carried stays with its owner."""

from __future__ import annotations

import base64
import random
from collections.abc import Callable
from io import BytesIO
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from PIL import Image, PngImagePlugin

from files.errors import PictureBroken, PictureTooLarge
from files.generated_files import AnswerFiles
from files.models import File
from files.selectors import ConversationFiles
from files.storage import content_read, content_write, file_storage
from tenants.context import tenant_tx
from tests.support.accounts.cast import Cast
from tests.support.chat.conversations import conversation_row
from tests.support.files.documents import animation
from tests.support.files.downloads import body_of

pytestmark = pytest.mark.django_db

ACME = "/o/acme/api/files/"
MARK = b"MARKER-of-the-sender-<script>alert(1)</script>"
ORIENTATION, DESCRIPTION = 0x0112, 0x010E


@pytest.fixture
def alice(cast: Cast) -> Client:
    client = Client()
    client.force_login(cast.alice)
    return client


def upload(client: Client, name: str, content: bytes) -> Any:
    return client.post(ACME, {"file": SimpleUploadedFile(name, content)})


def image_bytes(image: Image.Image, kind: str, **options: Any) -> bytes:
    file = BytesIO()
    image.save(file, kind, **options)
    return file.getvalue()


def exif() -> Image.Exif:
    data = Image.Exif()
    data[ORIENTATION], data[DESCRIPTION] = 6, MARK.decode()
    return data


def photo() -> bytes:
    return image_bytes(Image.new("RGB", (40, 20), "red"), "JPEG", exif=exif(), comment=MARK)


def text_chunks() -> bytes:
    chunks = PngImagePlugin.PngInfo()
    chunks.add_text("Comment", MARK.decode())
    chunks.add_itxt("XML:com.adobe.xmp", MARK.decode(), zip=False)
    return image_bytes(Image.new("RGBA", (8, 8), (1, 2, 3, 4)), "PNG", pnginfo=chunks, icc_profile=MARK)


def polyglot() -> bytes:
    return image_bytes(Image.new("P", (8, 8)), "GIF", comment=MARK) + b"PK\x03\x04" + MARK


def webp() -> bytes:
    return image_bytes(Image.new("RGB", (8, 8), "blue"), "WEBP", exif=exif(), xmp=MARK, lossless=True)


@pytest.mark.parametrize("make", [photo, text_chunks, polyglot, webp])
def test_what_is_not_a_pixel_stays_with_the_owner(alice: Client, cast: Cast, make: Callable[[], bytes]) -> None:
    content = make()
    assert MARK in content
    item = upload(alice, "cup", content).json()
    picture = body_of(alice.get(item["url"]))
    assert MARK not in picture
    assert b"PK\x03\x04" not in picture
    assert body_of(alice.get(item["downloadUrl"])) == content
    with tenant_tx(cast.acme.pk):
        file = File.objects.get(pk=item["id"])
        conversation_row(organization_id=cast.acme.pk, owner_id=file.owner_id, conversation_id=file.pk)
        File.objects.filter(pk=file.pk).update(conversation_id=file.pk)
    [provider_picture] = async_to_sync(ConversationFiles(cast.acme.pk, file.pk).read)([item["id"]]).values()
    assert MARK not in provider_picture
    assert provider_picture == picture or make is polyglot, "a provider gets what the page shows, and of a GIF its first frame"
    for url in (item["url"], item["downloadUrl"]):
        assert Client().get(url).status_code in (302, 401, 404)
        other = Client()
        other.force_login(cast.charlie)
        assert other.get(url).status_code == 404


def test_a_provider_gets_the_first_frame_of_what_moves_and_nothing_when_it_can_not_be_drawn(alice: Client, cast: Cast) -> None:
    moving_id, broken_id = (upload(alice, f"{name}.gif", animation()).json()["id"] for name in ("steam", "broken"))
    with tenant_tx(cast.acme.pk):
        file = File.objects.get(pk=broken_id)
        conversation_row(organization_id=cast.acme.pk, owner_id=file.owner_id, conversation_id=file.pk)
        File.objects.filter(pk__in=[moving_id, broken_id]).update(conversation_id=file.pk)
    file_storage().delete(file.shown_as)
    content_write(file.shown_as, b"GIF89a and nothing more")
    pictures = async_to_sync(ConversationFiles(cast.acme.pk, file.pk).read)([moving_id, broken_id])
    assert list(pictures) == [moving_id]
    with Image.open(BytesIO(pictures[moving_id])) as frame:
        assert (frame.format, frame.convert("RGB").getpixel((0, 0))) == ("PNG", (255, 0, 0))


def test_an_address_to_look_at_does_not_open_the_bytes_as_they_came(alice: Client) -> None:
    item = upload(alice, "cup.jpg", photo()).json()
    for url in (f"{item['url']}&original=1", f"{item['url']}&is_original=true"):
        assert MARK not in body_of(alice.get(url))


def test_a_photo_is_shown_upright(alice: Client) -> None:
    item = upload(alice, "cup.jpg", photo()).json()
    with Image.open(BytesIO(body_of(alice.get(item["url"])))) as image:
        assert (image.format, image.size, len(image.getexif())) == ("JPEG", (20, 40), 0)


@pytest.mark.parametrize("kind", ["GIF", "WEBP"])
def test_an_animation_moves_on(alice: Client, kind: str) -> None:
    frames = [Image.new("RGB", (16, 16), (shade, 0, 0)) for shade in (0, 120, 240)]
    content = image_bytes(frames[0], kind, save_all=True, append_images=frames[1:], duration=70, loop=0)
    picture = body_of(alice.get(upload(alice, "cup", content).json()["url"]))
    with Image.open(BytesIO(picture)) as animation:
        assert (animation.format, getattr(animation, "n_frames", 1), animation.info["loop"]) == (kind, 3, 0)
        animation.seek(1)
        animation.load()
        assert animation.info["duration"] == 70


def test_an_animation_that_is_too_large_becomes_its_first_frame(alice: Client) -> None:
    frames = [Image.new("P", (3000, 3000), shade) for shade in (1, 2, 3)]
    content = image_bytes(frames[0], "GIF", save_all=True, append_images=frames[1:])
    with Image.open(BytesIO(body_of(alice.get(upload(alice, "cup", content).json()["url"])))) as image:
        assert (image.size, getattr(image, "n_frames", 1)) == ((2000, 2000), 1)


@pytest.mark.parametrize(
    ("kind", "mode", "size", "shown_size"),
    [("JPEG", "RGB", (2400, 1800), (2000, 1500)), ("PNG", "I;16", (60, 3000), (40, 2000)), ("PNG", "1", (2001, 3), (2000, 3))],
)
def test_a_picture_is_shown_as_large_as_models_look_at(
    alice: Client, kind: str, mode: str, size: tuple[int, int], shown_size: tuple[int, int]
) -> None:
    item = upload(alice, "photo", content := image_bytes(Image.new(mode, size), kind)).json()
    with Image.open(BytesIO(body_of(alice.get(item["url"])))) as image:
        assert image.size == shown_size
    assert body_of(alice.get(item["downloadUrl"])) == content


def test_a_picture_is_shown_in_as_many_bytes_as_claude_takes(alice: Client) -> None:
    noise = image_bytes(Image.frombytes("RGB", (1400, 1400), random.Random(7).randbytes(1400 * 1400 * 3)), "PNG", compress_level=1)
    picture = body_of(alice.get(upload(alice, "noise.png", noise).json()["url"]))
    assert len(noise) > 5_000_000
    assert len(base64.b64encode(picture)) <= 5 * 1024 * 1024
    with Image.open(BytesIO(picture)) as image:
        assert 1000 < image.width < 1400


def test_a_picture_of_too_many_pixels_is_refused_before_it_is_drawn(alice: Client, cast: Cast) -> None:
    bomb = image_bytes(Image.new("1", (20_000, 20_000)), "PNG")
    assert len(bomb) < 100_000
    response = upload(alice, "cup.png", bomb)
    assert (response.status_code, response.json()["error"]["code"]) == (413, "picture_too_large")
    assert "400 megapixels; at most 50" in response.json()["error"]["message"]
    assert not stored_names(cast)


@pytest.mark.parametrize("content", [photo()[:200], b"\x89PNG\r\n\x1a\n" + MARK, b"GIF89a" + MARK])
def test_a_picture_that_cannot_be_drawn_is_refused(alice: Client, cast: Cast, content: bytes) -> None:
    response = upload(alice, "cup", content)
    assert (response.status_code, response.json()["error"]["code"]) == (415, "file_type_not_allowed")
    assert not stored_names(cast)


def test_pictures_of_models_and_tools_go_the_same_way(cast: Cast) -> None:
    store = AnswerFiles(cast.acme.pk, cast.actor(cast.alice).membership_id)
    keep = async_to_sync(store.keep)
    file = keep(base64.b64encode(text_chunks()).decode(), "image")
    assert MARK not in content_read(file.shown_as)
    for content, error in ((image_bytes(Image.new("1", (20_000, 20_000)), "PNG"), PictureTooLarge), (photo()[:200], PictureBroken)):
        with pytest.raises(error):
            keep(base64.b64encode(content).decode(), "image")


def test_a_drawing_with_scripts_is_text(alice: Client) -> None:
    item = upload(alice, "cup.svg", b"<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>").json()
    answer = alice.get(item["url"])
    assert (item["kind"], answer["Content-Type"]) == ("text", "text/plain; charset=utf-8")
    assert answer["Content-Disposition"].startswith("attachment")


def test_a_file_of_a_byte_order_mark_is_empty(alice: Client) -> None:
    response = upload(alice, "notes.txt", b"\xef\xbb\xbf")
    assert (response.status_code, response.json()["error"]["code"]) == (400, "file_empty")


def stored_names(cast: Cast) -> list[str]:
    folder = str(cast.acme.pk)
    return file_storage().listdir(folder)[1] if file_storage().exists(folder) else []
